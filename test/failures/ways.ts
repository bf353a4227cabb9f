import type { Test } from 'tap'
import { PUBLIC_HOST } from '../browser/chromium.ts'
import { startNginx } from '../proxy/nginx.ts'
import type { SiteServer } from '../site-server.ts'
import type { Client } from './positions.ts'

/** How a request reaches the server. */
export interface Way {
  name: string
  port: number
  /** The host name in the address bar. */
  address: string
  /** The host name that the server receives. */
  told: string
}

const LOOPBACK = '127.0.0.1'

/** Directly to the server, and through nginx with and without forwarded headers. */
export async function openWays(t: Pick<Test, 'teardown' | 'testdir'>, { port }: SiteServer): Promise<Way[]> {
  const { forwardingPort, barePort } = await startNginx(t, port)
  return [
    { name: 'directly', port, address: LOOPBACK, told: LOOPBACK },
    { name: 'through a proxy that forwards the host', port: forwardingPort, address: PUBLIC_HOST, told: PUBLIC_HOST },
    { name: 'through a proxy that hides the host', port: barePort, address: PUBLIC_HOST, told: LOOPBACK },
  ]
}

/**
 * Returns the host in the sentence: with JavaScript the address bar's own, otherwise the one that the server
 * received.
 */
export function saidHost({ address, told }: Way, client: Client): string {
  return client === 'J' ? address : told
}

export function urlOf({ address, port }: Way, path: string): string {
  return `http://${address}:${port}${path}`
}
