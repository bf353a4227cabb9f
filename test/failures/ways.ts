import type { Test } from 'tap'
import { PUBLIC_HOST } from '../browser/chromium.ts'
import { startNginx } from '../proxy/nginx.ts'
import type { SiteServer } from '../site-server.ts'
import type { Client } from './positions.ts'

/** How a request reaches the server. */
export interface Way {
  name: string
  port: number
  /** Host name in the address bar. */
  address: string
  /** Host name that the server is told. */
  told: string
}

const LOOPBACK = '127.0.0.1'

/** Straight to the server, and through nginx with and without forwarded headers. */
export async function openWays(t: Pick<Test, 'teardown' | 'testdir'>, { port }: SiteServer): Promise<Way[]> {
  const { forwardingPort, barePort } = await startNginx(t, port)
  return [
    { name: 'directly', port, address: LOOPBACK, told: LOOPBACK },
    { name: 'through a proxy that forwards the host', port: forwardingPort, address: PUBLIC_HOST, told: PUBLIC_HOST },
    { name: 'through a proxy that hides the host', port: barePort, address: PUBLIC_HOST, told: LOOPBACK },
  ]
}

/** The host in the sentence: with JavaScript the address bar's own, otherwise what the server has been told. */
export function saidHost({ address, told }: Way, client: Client): string {
  return client === 'J' ? address : told
}

export function urlOf({ address, port }: Way, path: string): string {
  return `http://${address}:${port}${path}`
}
