// Clients choose the path and the query of a URL, up to the limit of Node.js. What a server keeps for each URL must not
// grow with its length, and must not be more than `pageCache.maxBytes` allows.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { buildFiles, HTML, JSON_ONLY, serve } from '../server/served.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const CACHE = 'export const cache = { maxAgeS: 60 }\n'
const PAGES = {
  stored: `${CACHE}export const load = () => 1\n`,
  passed: `${CACHE}export const load = ({ request }) => String(request.headers.cookie)\n`,
  fails: `${CACHE}export const load = () => {\n  throw new Error('fails')\n}\n`,
  shell: `${CACHE}export const load = () => 1\nexport const loadVisitor = () => 2\n`,
}

const dir = await buildFiles(
  t.testdir({}),
  Object.fromEntries(
    Object.entries(PAGES).flatMap(([name, server]) => [
      [`pages/${name}/[id].tsx`, 'export default function Page() {\n  return <p>page</p>\n}\n'],
      [`pages/${name}/[id].server.ts`, server],
    ]),
  ),
)
const REQUESTS = 500
/** More than what a page and its key take, and less than a URL. */
const MAX_BYTES = 4_000
const QUERY = 'a'.repeat(7_000)

t.test('the memory does not grow with the URLs of cached pages', async (t) => {
  const logger = { level: 'silent' }
  const { get } = await serve(t, dir, { ledger: false, logger, pageCache: { maxBytes: 200_000 } })
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
