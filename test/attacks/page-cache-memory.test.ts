// Clients choose the path and the query of a URL, up to the limit of Node.js. What a server keeps for each URL must not
// grow with its length, and must not be more than `pageCache.maxBytes` allows.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import type { LoadContext } from '../../src/server/index.ts'
import { HTML, JSON_ONLY } from '../server/served.ts'
import { testSite } from '../test-site.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const cache = { maxAgeS: 60 }
const PAGES = {
  stored: { cache, load: () => 1 },
  passed: { cache, load: ({ request }: LoadContext) => String(request.headers.cookie) },
  fails: {
    cache,
    load() {
      throw new Error('fails')
    },
  },
  shell: { cache, load: () => 1, loadVisitor: () => 2 },
}
const site = Object.fromEntries(Object.entries(PAGES).map(([name, page]) => [`/${name}/[id]`, page]))

const REQUESTS = 500
/** More than what a page and its key take, and less than a URL. */
const MAX_BYTES = 4_000
const QUERY = 'a'.repeat(7_000)

t.test('the memory does not grow with the URLs of cached pages', async (t) => {
  const logger = { level: 'silent' }
  const { get } = await testSite(t, site, { ledger: false, logger, pageCache: { maxBytes: 200_000 } })
  let id = 0
  // The path is short, and a part of a long text.
  const ask = (name: string) =>
    get(`/${name}/${String(id++).padStart(20, 'x')}?${QUERY}${id}`, name === 'shell' ? HTML : JSON_ONLY)
  async function askOften(name: string, count: number) {
    for (let at = 0; at < count; at++) await ask(name)
  }
  function memory(): number {
    collect()
    return process.memoryUsage().heapUsed
  }
  const large: Record<string, number> = {}
  for (const name of Object.keys(PAGES)) {
    await askOften(name, 50)
    const before = memory()
    await askOften(name, REQUESTS)
    const perRequest = () => Math.round((memory() - before) / REQUESTS)
    // Node.js forgets the requests of `inject` some turns later.
    for (let turn = 0; turn < 100 && perRequest() > MAX_BYTES; turn++) await new Promise((next) => setTimeout(next, 10))
    if (perRequest() > MAX_BYTES) large[name] = perRequest()
  }
  t.strictSame(large, {}, 'bytes for each request')
})
