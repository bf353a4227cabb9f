// Values that a browser throws without a stack, or in a function of Hydrant's, lead to the site's own line.

import { join } from 'node:path'
import t, { type Test } from 'tap'
import { MAX_REPORTS } from '../../src/shared/wire/report-format.ts'
import { MAX_PRIMITIVES } from '../../src/shared/wire/thrown-stacks.ts'
import { launchChromium } from '../browser/chromium.ts'
import { writeFiles } from '../server/served.ts'
import { buildSharing } from '../shared-compression.ts'
import { startSite } from '../site-server.ts'

/** Buttons by what they make fail. The position is the line that ends with `// place: ` and the button's name. */
const FILES = {
  'pages/index.tsx': `import { Component, memo, useActionState, useEffect, useState, useTransition } from 'react'
import { href } from 'hydrant/react'
import { fail } from 'failing-package'
import { Elsewhere, ForeignElsewhere } from '../parts/elsewhere.tsx'
import { onShared, rejectShared } from '../parts/handlers.ts'
export default function Page() { // place: foreignRejection
  const [part, setPart] = useState('')
  const show = (name: string) => <button key={name} id={name} onClick={() => setPart(name)}>{name}</button>
  return <main>
    {Object.keys(PARTS).map(show)}
    {Object.entries(HANDLERS).map(([name, run]) => <button key={name} id={name} onClick={run}>{name}</button>)}
    <Classy />
    <Transition />
    <form action={onForm}><button id="form">form</button></form>
    <ActionState />
    {PARTS[part]?.()}
  </main>
}
const HANDLERS: Record<string, () => unknown> = {
  event: () => { throw 'text' }, // place: event
  eventNumber: () => { throw 42 }, // place: eventNumber
  eventObject: () => { throw Object.freeze({ code: 1 }) }, // place: eventObject
  eventUndefined: () => { throw undefined }, // place: eventUndefined
  async: async () => { await null; throw 'text' }, // place: async
  rejection: () => void Promise.reject('text'), // place: rejection
  rejectionNull: () => void Promise.reject(null), // place: rejectionNull
  rejectionEmpty: () => void Promise.reject(), // place: rejectionEmpty
  executor: () => void new Promise((_, reject) => reject('text')), // place: executor
  executorEmpty: () => void new Promise((_, reject) => reject()), // place: executorEmpty
  executorLater: () => void new Promise((_, reject) => setTimeout(() => reject('text'))), // place: executorLater
  deferred: () => { const { reject } = Promise.withResolvers(); reject('text') }, // place: deferred
  outside: () => { let late; new Promise((_, reject) => { late = reject }); setTimeout(() => late('text')) }, // place: outside
  abort: () => { const one = new AbortController(); void fetch('/', one); one.abort('text') }, // place: abort
  swallowed: () => { try { throw 'text' } catch {} },
  again: () => { try { inner() } catch (error) { throw error } },
  chained: () => void Promise.resolve().then(innerOfPromise).catch((error) => { throw error }),
  member: () => { HANDLERS.kept = undefined; throw kept.value }, // place: member
  choice: () => {
    if (part(1)) throw 'one'
    if (part(2)) throw 'two' // place: choice
    throw 'three'
  },
  many: () => {
    for (let count = 0; count < ${MAX_PRIMITIVES}; count++) Promise.reject('value ' + count) // place: many
  },
  shared: onShared,
  sharedRejection: rejectShared,
  package: () => { fail('text') }, // place: package
  timer: () => void setTimeout(onTimer),
  href: () => { href('/[id]', { id: '' }) }, // place: href
  foreignRejection: () => notBuilt.reject(),
}
const kept = { value: 'text' }
const part = (number: number) => number === 2
function inner() {
  throw 'text' // place: again
}
async function innerOfPromise() {
  throw 'text' // place: chained
}
const PARTS: Record<string, () => React.ReactNode> = {
  render: () => <Broken value="text" />,
  memo: () => <Remembered value="text" />,
  class: () => <ClassyRender value="text" />,
  effect: () => <Effective value="text" />,
  elsewhere: () => <Elsewhere value="text" />,
  symbol: () => <Signed />,
  undefined: () => <Nothing />,
  deleted: () => <Deleted />,
  noError: () => <NoError />,
  foreign: () => <Foreign />,
  foreignMemo: () => <ForeignMemo value="text" />,
  foreignClass: () => <ForeignClass />,
  foreignEffect: () => <ForeignEffect value="text" />,
  foreignElsewhere: () => <ForeignElsewhere />,
}
function Broken({ value }) {
  throw value // place: render
}
const Remembered = memo(function Inside({ value }) {
  throw value // place: memo
})
class ClassyRender extends Component {
  render() {
    throw this.props.value // place: class
  }
}
class Classy extends Component {
  onClick = () => {
    throw 'text' // place: classHandler
  }
  render() {
    return <button id="classHandler" onClick={this.onClick}>class</button>
  }
}
function Transition() {
  const [isPending, start] = useTransition()
  const run = () => start(async () => {
    await null
    throw 'text' // place: transition
  })
  return <button id="transition" onClick={run}>{String(isPending)}</button>
}
async function onForm() {
  throw 'text' // place: form
}
function ActionState() {
  const [, run] = useActionState(async () => {
    throw 'text' // place: actionState
  }, null)
  return <form action={run}><button id="actionState">action</button></form>
}
function Effective({ value }) {
  useEffect(() => {
    throw value // place: effect
  })
  return <p>effect</p>
}
function Signed(): never {
  throw Symbol('sign') // place: symbol
}
function Nothing(): never {
  throw undefined // place: undefined
}
function Deleted(): never {
  const error = new Error('deleted')
  delete error.stack
  throw error // place: deleted
}
class Refused {
  status = 403
}
function NoError(): never {
  throw new Refused() // place: noError
}
function Foreign(): never { // place: foreign
  notBuilt.fail()
}
const ForeignMemo = memo(function Inner({ value }): never { // place: foreignMemo
  notBuilt.fail(value)
})
class ForeignClass extends Component { // place: foreignClass
  render() {
    notBuilt.fail()
  }
}
function ForeignEffect({ value }) { // place: foreignEffect
  useEffect(() => notBuilt.fail(value))
  return <p>effect</p>
}
function onTimer() {
  throw 'text' // place: timer
}
`,
  'parts/handlers.ts': `export function onShared() {
  throw 'text' // place: shared
}
export async function rejectShared() {
  return Promise.reject('text') // place: sharedRejection
}
`,
  'node_modules/failing-package/package.json': '{ "name": "failing-package", "type": "module", "main": "index.js" }',
  'node_modules/failing-package/index.js': 'export function fail(value) {\n  throw value\n}\n',
  'parts/elsewhere.tsx': `export function Elsewhere({ value }) {
  throw value // place: elsewhere
}
export function ForeignElsewhere(): never { // place: foreignElsewhere
  notBuilt.fail()
}
`,
  'pages/other.tsx':
    'import { Elsewhere, ForeignElsewhere } from \'../parts/elsewhere.tsx\'\nexport default function Page() {\n  return <Elsewhere value="a" />\n}\n',
}
/** A script that the build has not marked. */
const NOT_BUILT = "self.notBuilt = { fail() { throw 'text' }, reject() { Promise.reject('foreign') } }"
const PLACES = Object.entries(FILES).flatMap(([file, source]) =>
  source.split('\n').flatMap((text, index) => {
    const name = / \/\/ place: (\w+)$/.exec(text)?.[1]
    return name === undefined ? [] : [{ name, place: `${file}:${index + 1}` }]
  }),
)

const chromium = await launchChromium(t)

/** Builds the site. `open` opens its page, and `press` returns the first line of the site in the stack of a failure. */
async function openSite(t: Test) {
  const dir = join(t.testdir({}), 'site')
  writeFiles(dir, FILES)
  const { manifest } = await buildSharing({ dir })
  t.equal(manifest.mode, 'production')
  const site = await startSite(t, { dir, env: { HYDRANT_LEDGER: 'false' } })
  const { page, goto, hydrated, click, count } = await chromium.open()
  await page.addInitScript(NOT_BUILT)
  return {
    click,
    count,
    async open() {
      await goto(`http://127.0.0.1:${site.port}/`, 'load')
      await hydrated()
    },
    async press(name: string) {
      const reported = page.waitForResponse((response) => new URL(response.url()).pathname === '/_hydrant/report')
      await click(`#${name}`)
      const id = await (await reported).headerValue('x-request-id')
      const { err } = await site.waitForLine(({ reqId, digest }) => reqId === id && digest !== undefined)
      const stack = err?.stack ?? ''
      const [found] = stack.matchAll(/^ {4}at (?:.*\()?((?:pages|parts)\/[^\s()]+:\d+):\d+\)?$/gm)
      return { place: found?.[1], stack }
    },
  }
}

t.test('leads to the line that throws', async (t) => {
  const { count, open, press } = await openSite(t)
  let reports = MAX_REPORTS
  for (const { name, place } of PLACES) {
    if (name === 'many') continue
    // A component that fails takes the buttons away.
    if (reports === MAX_REPORTS || (await count(`#${name}`)) === 0) {
      await open()
      reports = 0
    }
    const found = await press(name)
    t.equal(found.place, place, `${name}: ${found.stack}`)
    reports++
  }
})

t.test('values that one document throws, many or equal, lead to the line of each', async (t) => {
  const { click, open, press } = await openSite(t)
  await open()
  for (const name of ['event', 'shared', 'timer', 'async', 'swallowed', 'again', 'rejection']) {
    if (name === 'swallowed') await click('#swallowed')
    else t.equal((await press(name)).place, PLACES.find((one) => one.name === name)?.place, name)
  }
  await open()
  t.equal((await press('many')).place, PLACES.find(({ name }) => name === 'many')?.place)
})
