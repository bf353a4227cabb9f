// Errors whose stack has no frame of the site, on the server and in a browser.

import t, { type Test } from 'tap'
import type { FailureRecord } from '../../src/server/errors/failure-record.ts'
import { siteFrameOf } from '../../src/server/errors/site-frame.ts'
import { placeNote } from '../../src/server/ledger/place-note.ts'
import { launchChromium } from '../browser/chromium.ts'
import { buildForBrowser, type Files, serve } from '../server/served.ts'
import { until } from '../until.ts'

/** Loads by the names of their pages. */
const LOADS: Record<string, string> = {
  any: `export function load() {
  const late = new Promise((_, reject) => setTimeout(() => reject(new RangeError('a2')), 5))
  return Promise.any([fail('a1'), late])
}
async function fail(text) {
  throw new Error(text)
}
`,
  returned: "export async function load() {\n  return new Response('<p>').json()\n}\n",
  awaited: "export async function load() {\n  return await new Response('<p>').json()\n}\n",
  timeout: `export async function load() {
  const signal = AbortSignal.timeout(1)
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}
`,
  callback: `import { readFile } from 'node:fs'
export async function load() {
  await new Promise((_, reject) => readFile('/no/such/file', reject))
}
`,
  deferred: `import { readFile } from 'node:fs/promises'
export const load = () => ({ late: readFile('/no/such/file') })
`,
  rejected: 'export const load = () => Promise.reject()\n',
  // A busy browser notices a deadline late.
  slow: "export const load = () => new Promise((resolve) => setTimeout(resolve, 2_000, 'late'))\n",
  string: "export const load = () => Promise.reject('text')\n",
  two: "export function load() {\n  throw new AggregateError([new Error('x1'), new TypeError('x2')], 'two')\n}\n",
}

/** The handlers of buttons by their names. */
const HANDLERS = `
const HANDLERS: Record<string, () => unknown> = {
  any: () => void Promise.any([fail('a1'), Promise.reject('a2')]),
  two: () => { throw new AggregateError([new Error('x1'), new TypeError('x2', { cause: new Error('x3') })], 'two') },
  timeout: async () => { await fetch('/slow', { signal: AbortSignal.timeout(1) }) },
  clipboard: () => void navigator.clipboard.readText(),
  thrown: () => { throw undefined },
  thrownNull: () => { throw null },
  rejected: () => void Promise.reject(),
  many: () => { throw new AggregateError(Array.from({ length: 9 }, (_, index) => new Error('e' + index)), 'many') },
  nested: () => { throw new Error('outer', { cause: new AggregateError([new AggregateError([new Error('no')])], 'in') }) },
}
async function fail(text: string) {
  throw new Error(text)
}
`

const files: Files = {
  'pages/index.tsx': `import { useState } from 'react'
export default function Page() {
  return <main>
    <Invalid />
    {Object.entries(HANDLERS).map(([name, run]) => <button key={name} id={name} onClick={run}>{name}</button>)}
  </main>
}
function Invalid() {
  const [value, setValue] = useState<any>('')
  return <button id="invalid" onClick={() => setValue({ a: 1 })}>{value}x</button>
}
${HANDLERS}`,
}
Object.assign(files, {
  'pages/mismatch.tsx': `export default function Page() {
  return <p>{typeof document === 'undefined' ? 'server' : 'browser'}</p>
}
`,
  'pages/invalid.tsx': 'export default function Page() {\n  return <p>{{ a: 1 }}</p>\n}\n',
})
for (const [name, source] of Object.entries(LOADS)) {
  files[`pages/${name}.tsx`] = 'export default function Page() {\n  return <p>page</p>\n}\n'
  files[`pages/${name}.server.ts`] = source
}

const chromium = await launchChromium(t)
const dir = await buildForBrowser(t.testdir({}), files)

/** Serves the site. The functions return the record of a failure. */
async function open(t: Test) {
  const records: FailureRecord[] = []
  const { app } = await serve(t, dir, { ledger: false, onFailure: (record) => void records.push(record) })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const page = await chromium.open()

  async function next(work: () => Promise<unknown>): Promise<FailureRecord> {
    const { length } = records
    await work()
    await until(() => records.length > length)
    const record = records[length]
    if (!record) throw new Error('There is no record.')
    return record
  }

  return {
    visit: (name: string) => next(() => page.goto(`${origin}/${name}`, 'load')),
    load: (name: string) => next(() => fetch(`${origin}/${name}`)),
    async press(name: string) {
      await page.goto(`${origin}/`, 'load')
      await page.hydrated()
      return next(() => page.click(`#${name}`))
    },
  }
}

/** Returns the first line of a file that contains a text, as a place. */
function placeOf(file: string, text: string): string {
  const lines = String(files[file]).split('\n')
  return `${file}:${lines.findIndex((line) => line.includes(text)) + 1}`
}

function shownPlace({ error }: FailureRecord): string {
  const frame = siteFrameOf(error)
  return frame ? `${frame.file}:${frame.line}` : '–'
}

t.test('the errors of an AggregateError have their lines', async (t) => {
  const { load, press } = await open(t)
  for (const [record, file] of [
    [await load('two'), 'pages/two.server.ts'],
    [await press('two'), 'pages/index.tsx'],
  ] as const) {
    const line = Number(placeOf(file, "'x1'").split(':')[1])
    const stack = [{ file, line, isSite: true }]
    t.match(record.error, {
      ...{ type: 'AggregateError', message: 'two', stack },
      errors: [
        { type: 'Error', message: 'x1', stack },
        { type: 'TypeError', message: 'x2', stack },
      ],
    })
  }
  t.match((await press('two')).error.errors?.[1]?.cause, { type: 'Error', message: 'x3' })
  const many = (await press('many')).error.errors ?? []
  t.strictSame(
    many.map(({ message }) => message),
    ['e0', 'e1', 'e2', 'e3', 'e4'],
    'a browser sends as many as the server keeps',
  )
  t.match((await press('nested')).error, { cause: { message: 'in', errors: [{ type: 'AggregateError' }] } })
})

t.test('an AggregateError without a frame of the site has the place of its first error that has one', async (t) => {
  const { load, press } = await open(t)
  const server = await load('any')
  t.match(server.error, { type: 'AggregateError', errors: [{ message: 'a1' }, { type: 'RangeError', message: 'a2' }] })
  t.equal(shownPlace(server), placeOf('pages/any.server.ts', 'new Error(text)'))
  const browser = await press('any')
  t.match(browser.error, { type: 'AggregateError', errors: [{ message: 'a1' }, { type: 'string', message: 'a2' }] })
  t.equal(shownPlace(browser), placeOf('pages/index.tsx', 'new Error(text)'))
  const [frame] = browser.error.errors?.[1]?.stack ?? []
  t.match(frame, { file: 'pages/index.tsx', isSite: true }, 'a value without a stack has the line that rejects')
  t.equal((await load('any')).fingerprint, server.fingerprint)
})

t.test('a failure whose place is not a line says so', async (t) => {
  const { load, press } = await open(t)
  const stackless = 'The stack has no line of the site, so the place is only the function.'
  const notes: Record<string, string | null> = {
    returned: `${stackless} An \`await\` before the promise that it returns adds the line.`,
    awaited: null,
    timeout: stackless,
    callback: stackless,
    deferred: stackless,
    string: 'The thrown value is not an Error, so the place is only the function.',
    any: null,
  }
  for (const [name, note] of Object.entries(notes)) {
    const record = await load(name)
    t.equal(placeNote(record), note, name)
    if (note !== null) t.equal(shownPlace(record), placeOf(`pages/${name}.server.ts`, 'load'), name)
  }
  const fingerprints = new Set<string>()
  for (const [name, type] of [
    ['timeout', 'TimeoutError'],
    ['clipboard', 'NotAllowedError'],
  ] as const) {
    const record = await press(name)
    fingerprints.add(record.fingerprint)
    t.equal(record.error.type, type)
    t.equal(shownPlace(record), 'pages/index.tsx:2', name)
    t.equal(placeNote(record), 'The stack has no line of the site, so the place is only the page.', name)
  }
  t.equal(fingerprints.size, 2)
  t.equal(placeNote(await press('two')), null)
})

t.test('a stack without a frame of the site has no frames of React, Fastify and Hydrant', async (t) => {
  const { load, press, visit } = await open(t)
  for (const record of [
    await load('returned'),
    await load('timeout'),
    await load('invalid'),
    await visit('mismatch'),
    await press('invalid'),
  ]) {
    const [first, ...others] = record.error.stack
    t.match(first, { isSite: true, standIn: /./ })
    const callers = others.filter(({ file }) => /\b(?:react-dom|fastify|hydrant)\b|src\/server/.test(file))
    t.strictSame(callers, [], record.error.message)
  }
  const { stack } = (await load('returned')).error
  t.ok(
    stack.some(({ file }) => file.startsWith('node:')),
    'the frames of Node.js stay',
  )
})

t.test('a value that says nothing has a message', async (t) => {
  const { load, press } = await open(t)
  const messageOf = ({ error }: FailureRecord) => `${error.type}: ${error.message}`
  const nothing = 'undefined: nothing (undefined) was thrown'
  t.equal(messageOf(await load('rejected')), nothing)
  t.equal(messageOf(await press('rejected')), nothing)
  t.equal(messageOf(await press('thrown')), nothing)
  t.equal(messageOf(await press('thrownNull')), 'null: nothing (null) was thrown')
})
