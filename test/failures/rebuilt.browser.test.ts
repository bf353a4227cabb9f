// Failures in browsers and builds: the same failure has the same fingerprint in each build, and leads to its source.

import { cpSync, existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { launchChromium, type OpenPage } from '../browser/chromium.ts'
import { buildForBrowser, type createLog, type Files, HTML, serve } from '../server/served.ts'
import type { LogLine } from '../site-server.ts'
import { until } from '../until.ts'

/** Buttons that fail, each in a different way. */
const page = (above: string) => `${above}import { useEffect, useState } from 'react'
import { countAll, Cart, Basket } from '../lib/cart.ts'
function Price({ amount }) {
  if (amount) throw new Error('no price of ' + amount)
  return <i>price</i>
}
function Total({ amount }) {
  if (amount) throw new Error('no price of ' + amount)
  return <i>total</i>
}
function Mounted({ isOn }) {
  useEffect(() => {
    if (isOn) throw new Error('in an effect')
  }, [isOn])
  return null
}
const handlers = {
  handler() { throw new Error('in a handler') },
  arrow: () => { throw new Error('in a handler') },
  method: () => new Cart().total(),
  constructed: () => new Basket(),
  imported: () => countAll([1, 2, 3]),
  async rejected() { await null; throw new Error('rejected') },
  text: () => { throw 'only a text' },
}
export default function Page() {
  const [kind, setKind] = useState('')
  return (
    <main>
      <Price amount={kind === 'price' ? 17 : 0} />
      <Total amount={kind === 'total' ? 4096 : 0} />
      <Mounted isOn={kind === 'effect'} />
      {['price', 'total', 'effect'].map((name) => <button key={name} id={name} onClick={() => setKind(name)}>{name}</button>)}
      {Object.entries(handlers).map(([name, handle]) => <button key={name} id={name} onClick={() => void handle()}>{name}</button>)}
    </main>
  )
}
`
const cart = (above: string) => `${above}export class CartError extends Error {
  constructor(message: string) {
    super(message)
    this.name = new.target.name
  }
}
export class Cart {
  total() {
    throw new CartError('no total')
  }
}
export class Basket {
  constructor() {
    throw new CartError('no total')
  }
}
export function countAll(items: number[]) {
  return items.map((item) => {
    throw new RangeError('cannot count ' + item)
  })
}
`
const kinds = ['price', 'total', 'effect', 'handler', 'arrow', 'method', 'constructed', 'imported', 'rejected', 'text']
const before: Files = { 'pages/index.tsx': page(''), 'lib/cart.ts': cart('') }
// Other pages and names before these make the minifier choose other letters.
const more =
  '// A remark.\n\nexport function addedOne(first: number, second: number) {\n  const sum = first + second\n  console.debug(sum)\n  return sum\n}\nexport class Added {\n  twice(value: number) {\n    return addedOne(value, value)\n  }\n}\n'
const after: Files = {
  'pages/index.tsx': page(
    "import { useId as useSomeId, useRef as useSomeRef } from 'react'\nfunction Aaa() {\n  return <b id={useSomeId()} ref={useSomeRef(null)}>{String(Bbb)}</b>\n}\nfunction Bbb(first) {\n  return <Aaa key={first} />\n}\nglobalThis.kept = Bbb\n\n",
  ),
  'lib/cart.ts': cart(more),
  'pages/other.tsx':
    "import { Added, addedOne, Cart } from '../lib/cart.ts'\nexport default function Other() {\n  return <p onClick={() => new Added().twice(addedOne(1, 2))}>{typeof Cart}</p>\n}\n",
}

const chromium = await launchChromium(t)

async function start(t: Test, dir: string) {
  const { app, log, get } = await serve(t, dir)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.server.closeAllConnections())
  return { origin, log, get }
}

async function fail(open: OpenPage, kind: string, log: ReturnType<typeof createLog>): Promise<LogLine> {
  const { length } = log.errors()
  await open.click(`#${kind}`)
  return until(() => log.errors()[length])
}

async function failAll(origin: string, log: ReturnType<typeof createLog>): Promise<Map<string, LogLine>> {
  const open = await chromium.open()
  const lines = new Map<string, LogLine>()
  for (const kind of kinds) {
    await open.goto(`${origin}/`, 'commit')
    await open.hydrated()
    lines.set(kind, await fail(open, kind, log))
  }
  return lines
}

const fingerprintOf = (line?: LogLine) => line?.digest?.slice(0, 8)
const firstFrame = (line?: LogLine) => line?.err?.stack.split('\n')[1]

t.test('a browser failure has one fingerprint, whatever its minified names are', async (t) => {
  const root = t.testdir({})
  const one = await start(t, await buildForBrowser(join(root, 'one'), before))
  const two = await start(t, await buildForBrowser(join(root, 'two [x]'), after))
  const first = await failAll(one.origin, one.log)
  const second = await failAll(two.origin, two.log)
  for (const kind of kinds) {
    t.equal(
      fingerprintOf(second.get(kind)),
      fingerprintOf(first.get(kind)),
      `${kind}: ${firstFrame(first.get(kind))}, ${firstFrame(second.get(kind))}`,
    )
  }
  const fingerprints = kinds.map((kind) => fingerprintOf(first.get(kind)))
  t.same(
    kinds.filter((_, index) => fingerprints.indexOf(fingerprints[index]) !== index),
    [],
    'each its own',
  )
  const names = Object.fromEntries(
    kinds.map((kind) => [kind, /at (?:async )?(.*) \(/.exec(firstFrame(first.get(kind)) ?? '')?.[1]]),
  )
  t.match(names, {
    price: 'Price',
    total: 'Total',
    effect: 'Mounted.<anonymous>',
    handler: 'handler',
    arrow: 'arrow',
    method: 'Cart.total',
    constructed: 'new Basket',
    imported: 'countAll.<anonymous>',
    rejected: 'rejected',
  })
  t.equal(first.get('method')?.err?.type, 'CartError', 'a class’s own name')
})

t.test('a page of an earlier build leads to the lines of that build', async (t) => {
  const dir = await buildForBrowser(t.testdir({}), before)
  const { origin } = await start(t, dir)
  const open = await chromium.open()
  await open.goto(`${origin}/`, 'commit')
  await open.hydrated()
  await buildForBrowser(dir, after)
  await buildForBrowser(dir, { ...after, 'lib/cart.ts': cart(`${more}${more.replaceAll(/Added|addedOne/g, '$&2')}`) })
  // A server of the newest build gets a request of a page of the oldest.
  const { origin: newest, log } = await start(t, dir)
  await open.page.route('**/_hydrant/report', async (route) => {
    const headers = { ...route.request().headers(), host: new URL(newest).host, origin: newest }
    const body = route.request().postData() ?? ''
    await fetch(`${newest}/_hydrant/report`, { method: 'POST', body, headers })
    await route.fulfill({ status: 204 })
  })
  const line = await fail(open, 'method', log)
  t.equal(firstFrame(line), '    at Cart.total (lib/cart.ts:9:11)')
})

t.test('a server keeps using its own map when another build replaces its own', async (t) => {
  const load = (above: string): Files => ({
    'pages/index.server.ts': `${above}function find() {\n  throw new Error('not found')\n}\nexport const load = () => find()\n`,
  })
  const dir = await buildForBrowser(t.testdir({}), load(''))
  const old = await start(t, dir)
  await buildForBrowser(dir, load('// A remark.\nconsole.debug(1)\n\n'))
  await old.get('/')
  t.equal(firstFrame(old.log.errors()[0]), '    at find (pages/index.server.ts:2:9)')
  const fresh = await start(t, dir)
  await fresh.get('/')
  t.equal(firstFrame(fresh.log.errors()[0]), '    at find (pages/index.server.ts:5:9)')
})

t.test('a server keeps using its own map when another build is copied over its own', async (t) => {
  const load = (above: string): Files => ({
    'pages/index.server.ts': `${above}function find() {\n  throw new Error('not found')\n}\nexport const load = () => find()\n`,
  })
  const root = t.testdir({})
  const dir = await buildForBrowser(join(root, 'served'), load(''))
  const { get, log } = await start(t, dir)
  const other = await buildForBrowser(join(root, 'other'), load('// A remark.\nconsole.debug(1)\n\n'))
  cpSync(join(other, '.hydrant'), join(dir, '.hydrant'), { recursive: true })
  await get('/')
  t.equal(firstFrame(log.errors()[0]), '    at find (pages/index.server.ts:2:9)')
})

t.test('a map that could not be read is read again', async (t) => {
  const dir = await buildForBrowser(t.testdir({}), {
    'pages/index.server.ts': "export const load = () => {\n  throw new Error('no data')\n}\n",
  })
  const { get, log } = await start(t, dir)
  const kept = join(dir, '.hydrant/kept')
  renameSync(kept, `${kept}-away`)
  await get('/')
  t.notMatch(firstFrame(log.errors()[0]), /pages\/index\.server\.ts:2:9/)
  renameSync(`${kept}-away`, kept)
  await until(async () => {
    await get('/')
    return firstFrame(log.errors().at(-1)) === '    at load (pages/index.server.ts:2:9)'
  })
})

t.test('maps of the last five builds are kept, and none is served', async (t) => {
  const dir = t.testdir({})
  const pageOf = (number: number) => ({
    'pages/index.tsx': `export default function Page() {\n  return <p>${'page '.repeat(number)}</p>\n}\n`,
  })
  for (let number = 1; number <= 7; number++) await buildForBrowser(dir, pageOf(number))
  await buildForBrowser(dir, pageOf(7))
  const folder = join(dir, '.hydrant')
  const maps = readdirSync(join(folder, 'maps'))
  const ofPage = maps.filter((name) => readFileSync(join(folder, 'maps', name), 'utf8').includes('pages/index.tsx'))
  t.equal(ofPage.length, 5)
  t.equal(readdirSync(join(folder, 'kept')).filter((name) => name.endsWith('.mjs')).length, 5)
  const { get } = await serve(t, dir)
  const names = [...maps, ...readdirSync(join(folder, 'kept')), 'index.mjs.map']
  for (const name of names) {
    for (const path of [
      '',
      'maps/',
      'kept/',
      'server/',
      '_hydrant/',
      '_hydrant/maps/',
      '_hydrant/assets/',
      '_hydrant/assets/../maps/',
      '_hydrant/assets/%2e%2e/maps/',
    ]) {
      const { statusCode, body } = await get(`/${path}${name}`, HTML)
      if (statusCode !== 404 || body.includes('"mappings"')) t.fail(`${path}${name}: ${statusCode}`)
    }
    t.ok(existsSync(folder))
  }
})
