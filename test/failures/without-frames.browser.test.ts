// Errors whose stack has no frame of the site, on the server and in a browser.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type FailureRecord, siteFrameOf } from '../../src/server/errors/failure-record.ts'
import { placeNote } from '../../src/server/ledger/failure-json.ts'
import { launchChromium } from '../browser/chromium.ts'
import { buildApp } from '../build-app.ts'
import { serve } from '../server/served.ts'
import { until } from '../until.ts'

const chromium = await launchChromium(t)
const dir = await buildApp(t, 'failures')

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
    visit: (name: string) => next(() => page.goto(`${origin}/frameless/${name}`, 'load')),
    load: (name: string) => next(() => fetch(`${origin}/frameless/${name}`)),
    async press(name: string) {
      await page.goto(`${origin}/frameless`, 'load')
      await page.hydrated()
      return next(() => page.click(`#${name}`))
    },
  }
}

/** Returns the first line of a file of `pages/frameless` that contains a text, as a place. */
function placeOf(name: string, text: string): string {
  const file = `pages/frameless/${name}`
  const lines = readFileSync(join(dir, file), 'utf8').split('\n')
  return `${file}:${lines.findIndex((line) => line.includes(text)) + 1}`
}

function shownPlace({ error }: FailureRecord): string {
  const frame = siteFrameOf(error)
  return frame ? `${frame.file}:${frame.line}` : '–'
}

t.test('the errors of an AggregateError have their lines', async (t) => {
  const { load, press } = await open(t)
  for (const [record, name] of [
    [await load('two'), 'two.server.ts'],
    [await press('two'), 'index.tsx'],
  ] as const) {
    const [file, line] = placeOf(name, "'x1'").split(':')
    const stack = [{ file, line: Number(line), isSite: true }]
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
  t.equal(shownPlace(server), placeOf('any.server.ts', 'new Error(text)'))
  const browser = await press('any')
  t.match(browser.error, { type: 'AggregateError', errors: [{ message: 'a1' }, { type: 'string', message: 'a2' }] })
  t.equal(shownPlace(browser), placeOf('index.tsx', 'new Error(text)'))
  const [frame] = browser.error.errors?.[1]?.stack ?? []
  t.match(
    frame,
    { file: 'pages/frameless/index.tsx', isSite: true },
    'a value without a stack has the line that rejects',
  )
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
  const found: Record<string, string | null> = {}
  const wrongPlaces: string[] = []
  for (const [name, note] of Object.entries(notes)) {
    const record = await load(name)
    found[name] = placeNote(record)
    const place = shownPlace(record)
    if (note !== null && place !== placeOf(`${name}.server.ts`, 'load')) wrongPlaces.push(`${name}: ${place}`)
  }
  t.strictSame(found, notes)
  t.strictSame(wrongPlaces, [])
  const fingerprints = new Set<string>()
  for (const [name, type] of [
    ['timeout', 'TimeoutError'],
    ['clipboard', 'NotAllowedError'],
  ] as const) {
    const record = await press(name)
    fingerprints.add(record.fingerprint)
    t.equal(record.error.type, type)
    t.equal(shownPlace(record), placeOf('index.tsx', 'function Page'), name)
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
