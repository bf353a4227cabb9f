import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { LONG_DEADLINES, type SiteServer, startSite } from '../site-server.ts'
import type { Upstreams } from './documented.ts'

export interface StartedUpstreams extends Upstreams {
  /** The processes, by their mount path; `/` has two. */
  servers: { first: SiteServer; second: SiteServer; shop: SiteServer; docs: SiteServer }
}

/** Starts one build as the comments of the documented configurations say. */
export async function startUpstreams(t: Pick<Test, 'teardown'>, dir: string): Promise<StartedUpstreams> {
  const folder = mkdtempSync(join(tmpdir(), 'hydrant-'))
  chmodSync(folder, 0o750)
  const path = join(folder, 'docs.sock')
  const common = {
    HYDRANT_TRUST_PROXY: '127.0.0.1',
    HYDRANT_REPORTS_MAX_PER_ADDRESS: '1',
    ...LONG_DEADLINES,
  }
  const start = (env: Record<string, string>) => startSite(t, { dir, env: { ...common, ...env } })
  const [first, second, shop, docs] = await Promise.all([
    start({}),
    start({}),
    start({ HYDRANT_BASE: '/shop', HYDRANT_FORWARDED_HEADER: 'forwarded' }),
    start({ HYDRANT_BASE: '/docs', HYDRANT_PROXY_STRIPS_BASE: 'true', HYDRANT_SOCKET: path }),
  ])
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const servers = { first, second, shop, docs }
  return { servers, first: first.port, second: second.port, shop: shop.port, docs: path }
}
