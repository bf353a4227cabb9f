// Races between visitors and invalidations. After an invalidation, nobody may get a page that was made before it: not one
// whose render began before it, not one that was old already, in no form, and under no spelling of its address.

import { setImmediate as turn } from 'node:timers/promises'
import { brotliDecompressSync } from 'node:zlib'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { hydrant } from '../../src/server/index.ts'
import { findFailing } from '../find-failing.ts'
import { marked } from '../server/lines.ts'
import { HTML, JSON_ONLY, type Served, serve } from '../server/served.ts'
import { navigationHeaders, writeTestSite } from '../test-site.ts'

/** The versions of the site's items and groups, which loads read. */
const versions = { items: [0, 0, 0, 0, 0, 0], groups: [0, 0] }

interface Item {
  params: { id: number }
}

/** Loads read one version, wait for some turns of the event loop, and read the other: they mix old and new. */
function itemPage(rule: Record<string, number>) {
  let runs = 0
  return {
    Component: ({ data }: { data: { text: string } }) => <p>{data.text}</p>,
    cache: { ...rule, tags: ({ params: { id } }: Item) => [`item:${id}`, `group:${id % 2}`] },
    async load({ params: { id } }: Item) {
      const item = versions.items[id]
      for (let turns = runs++ % 5; turns > 0; turns--) await turn()
      return { text: `item=${item} group=${versions.groups[id % 2]}.` }
    },
  }
}
const KINDS = {
  fresh: itemPage({ maxAgeS: 600 }),
  stale: itemPage({ maxAgeS: 0, staleS: 600 }),
  guarded: { ...itemPage({ maxAgeS: 600 }), guard: async () => {} },
}
let namedRuns = 0
const dir = writeTestSite(t.testdir({}), {
  ...Object.fromEntries(Object.entries(KINDS).map(([kind, page]) => [`/${kind}/[id]`, page])),
  '/named/[id]': {
    Component: ({ data }: { data: number }) => <p>run {data}</p>,
    cache: { maxAgeS: 600 },
    load: () => ++namedRuns,
  },
})

const NAVIGATION = navigationHeaders()
/** Each form of a page. */
const FORMS = [
  (path: string) => [path, HTML] as const,
  (path: string) => [path, { ...HTML, 'accept-encoding': 'br' }] as const,
  (path: string) => [path, JSON_ONLY] as const,
  (path: string) => [path, { accept: 'text/markdown' }] as const,
  (path: string) => [marked(path), NAVIGATION] as const,
]

let state = 11
/** Returns a whole number below `end`. The same numbers come in each run. */
function below(end: number): number {
  state = (state * 48_271) % 2_147_483_647
  return state % end
}

interface Floor {
  item: number
  group: number
}

/** The oldest versions that each page may show. */
function createFloors() {
  const floors = new Map<string, Floor>()
  const paths = Object.keys(KINDS).flatMap((kind) => versions.items.map((_, id) => `/${kind}/${id}`))
  for (const path of paths) floors.set(path, { item: 0, group: 0 })
  const idOf = (path: string) => Number(path.split('/')[2])
  const at = (path: string): Floor => floors.get(path) ?? { item: 0, group: 0 }
  /** A page that was removed shows no version from before that. */
  function raise(isRemoved: (path: string, id: number) => boolean) {
    const now = structuredClone(versions)
    const removed = paths.filter((path) => isRemoved(path, idOf(path)))
    return () => {
      for (const path of removed) {
        const { item, group } = at(path)
        const id = idOf(path)
        floors.set(path, {
          item: Math.max(item, now.items[id] ?? 0),
          group: Math.max(group, now.groups[id % 2] ?? 0),
        })
      }
    }
  }
  return { paths, at, raise }
}

/** Changes the data, and then removes some pages. Resolves when that is done. */
async function change({ app }: Served, { paths, raise }: ReturnType<typeof createFloors>) {
  const id = below(versions.items.length)
  const path = paths[below(paths.length)] ?? ''
  versions.items[id] = (versions.items[id] ?? 0) + 1
  versions.groups[id % 2] = (versions.groups[id % 2] ?? 0) + 1
  const [isRemoved, remove] = [
    [(_: string, own: number) => own === id, () => app.pageCache.invalidate({ tags: [`item:${id}`] })],
    [(_: string, own: number) => own % 2 === id % 2, () => app.pageCache.invalidate({ tags: [`group:${id % 2}`] })],
    [(own: string) => own === path, () => app.pageCache.invalidate({ path: `${path}?a=b` })],
    [() => true, () => app.pageCache.clear()],
  ][below(16) === 0 ? 3 : below(3)] as [(path: string, id: number) => boolean, () => Promise<void>]
  const noteRemoved = raise(isRemoved)
  await remove()
  noteRemoved()
}

t.test('after an invalidation, no response has anything older', async (t) => {
  const served = await serve(t, dir, { ledger: false, logger: false })
  const floors = createFloors()
  let asked = 0
  async function ask() {
    const path = floors.paths[below(floors.paths.length)] ?? ''
    const [url, headers] = (FORMS[below(FORMS.length)] ?? FORMS[0])?.(path) ?? [path, HTML]
    const { item, group } = floors.at(path)
    const { body, statusCode, headers: sent, rawPayload } = await served.get(url, headers)
    const text = sent['content-encoding'] === 'br' ? brotliDecompressSync(rawPayload) : body
    const seen = /item=(\d+) group=(\d+)\./.exec(String(text))
    asked++
    if (statusCode !== 200 || !(Number(seen?.[1]) >= item) || !(Number(seen?.[2]) >= group))
      t.fail(`${url}: ${seen?.[0]}, at least item=${item} group=${group}`)
  }
  await Promise.all(
    Array.from({ length: 12 }, async (_, worker) => {
      for (let turn = 0; turn < 150; turn++) await (worker < 2 ? change(served, floors) : ask())
    }),
  )
  t.equal(asked, 1_500)
})

/** Spellings of one path: as the program names it, and as visitors send it. */
const SPELLINGS: readonly (readonly [path: string, ...sent: string[]])[] = [
  ['/named/a', '/named/a', '/named/%61'],
  ['/named/%61', '/named/a'],
  ['/named/a b', '/named/a%20b'],
  ['/named/ä', '/named/%C3%A4', '/named/%c3%a4'],
  ['/named/a|b', '/named/a|b', '/named/a%7Cb', '/named/a%7cb'],
  ['/named/a,item:1', '/named/a,item:1', '/named/a%2Citem:1'],
  ['/named/a%2Cb', '/named/a,b'],
  ["/named/it's", "/named/it's", '/named/it%27s'],
  ['/named/a^b', '/named/a^b', '/named/a%5Eb'],
  ['/named/a\\b', '/named/a%5Cb', '/named/a%5cb'],
  ['/named/a%2Fb', '/named/a%2fb', '/named/a%2Fb'],
  ['/named/100%25', '/named/100%25'],
  ['//named/a', '/named/a'],
  ['/named/a?b#c', '/named/a?d'],
]

async function checkSpellings(t: Test, { app, get }: Pick<Served, 'app' | 'get'>) {
  const asked = SPELLINGS.flatMap(([path, ...sent]) => sent.map((url) => ({ path, url })))
  const failing = await findFailing(asked, async ({ path, url }) => {
    const before = await get(url)
    const kept = await get(url)
    if (before.statusCode !== 200 || before.body !== kept.body) return 'it is not stored'
    await app.pageCache.invalidate({ path })
    return (await get(url)).body === before.body ? 'it is not removed' : undefined
  })
  t.strictSame(failing, [])
}

t.test('each spelling of a path is removed', async (t) => {
  await checkSpellings(t, await serve(t, dir, { ledger: false }))
})

t.test('each spelling of a path is removed in an app that normalizes none', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(hydrant, { dir, ledger: false })
  const get: Served['get'] = (url, headers = HTML) => app.inject({ url, headers })
  await checkSpellings(t, { app, get })
})

t.test('a visitor cannot add a tag to a page by its path', async (t) => {
  const { get } = await serve(t, dir, { ledger: false })
  for (const path of ['/named/a,item:1', '/named/a%2Citem:1', '/named/a%20item:1'])
    for (const tag of String((await get(path)).headers['cache-tag']).split(/[, ]/))
      t.match(tag, /^path:\/named\//, path)
})
