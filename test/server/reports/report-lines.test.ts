// Messages of browsers keep their line breaks, and no line of them can pass for a line of the log or of a command.

import t from 'tap'
import { formatFailure } from '../../../scripts/terminal/format-failure.ts'
import { createPaint } from '../../../scripts/terminal/text.ts'
import type { FailureRecord } from '../../../src/server/errors/failure-record.ts'
import { sanitizeLine } from '../../../src/server/log/control-characters.ts'
import { withoutFrames } from '../../../src/server/site/parse-report.ts'
import { findFailing } from '../../find-failing.ts'
import { ledgerOf } from '../../scripts/failed-ledger.ts'
import { testSite } from '../../test-site.ts'
import { createLog } from '../served.ts'

const LINES = ['Hydration failed because the text did not match:', '', '  <Page>', '+   client', '-   server']
const HOSTILE = 'one\r\n{"level":30,"msg":"fine"}\n[05:04:12] INFO: fine\u001b[2J\u2028two\u202e'

const kept: FailureRecord[] = []
const raw: string[] = []
const log = createLog()
const stream = { write: (text: string) => void raw.push(text) }
const { app } = await testSite(
  t,
  { '/': {} },
  {
    ledger: false,
    reports: { maxPerAddress: 100 },
    onFailure: (failure) => void kept.push(failure),
    logger: { ...log.logger, stream },
  },
)

async function report(message: string): Promise<{ text: string; failure: FailureRecord }> {
  const error = { type: 'Error', message, stack: '' }
  const payload = { kind: 'failure', build: 'some', path: '/', isRecovered: true, error }
  const headers = { origin: 'http://shop.example', host: 'shop.example' }
  const { statusCode } = await app.inject({ method: 'POST', url: '/_hydrant/report', headers, payload })
  t.equal(statusCode, 204)
  await new Promise(setImmediate)
  const failure = kept.pop()
  const text = raw.filter((line) => line.includes('"digest"')).pop()
  if (!failure || text === undefined) throw new Error('The report is not told.')
  return { text, failure }
}

t.test('the difference of a hydration mismatch can be read', async (t) => {
  const { text, failure } = await report(LINES.join('\n'))
  t.equal(failure.message, LINES.join('\n'))
  t.equal(text.trimEnd().split('\n').length, 1, 'one line of JSON')
  t.equal(JSON.parse(text).err.message, LINES.join('\n'))
  const shown: string = JSON.parse(sanitizeLine(text)).msg
  t.strictSame(
    shown.split('\n').slice(1),
    LINES.slice(1).map((line) => `    ${line}`),
  )
  const details = await (await ledgerOf(failure)).read(failure.fingerprint, {})
  const view = { paint: createPaint(false), width: 80, now: Date.now() }
  const printed = details ? formatFailure(details, { digest: null }, view) : []
  t.strictSame(
    printed.slice(1, LINES.length),
    LINES.slice(1).map((line) => `  ${line}`),
  )
})

t.test('a message cannot pass for another line and cannot control a terminal', async (t) => {
  const { text, failure } = await report(HOSTILE)
  t.equal(text.trimEnd().split('\n').length, 1)
  t.equal(failure.message, 'one\n{"level":30,"msg":"fine"}\n[05:04:12] INFO: fine [2J two')
  const [first, ...others] = String(JSON.parse(sanitizeLine(text)).msg).split('\n')
  t.equal(first, 'Error: one')
  for (const line of others) t.match(line, /^ {4}/)
})

t.test('no line of a message can pass for a frame of the stack', async (t) => {
  const frame = '    at load (pages/index.server.ts:1:1)'
  const breaks = ['\n', '\r\n', '\n\n', '\n\t', '\n\u001b', '\n\u202e', '\n \u2066 ', '\n\u2028', '\n\u00a0\n', 'a\n']
  const failing = await findFailing(breaks, async (before) => {
    const { text, failure } = await report(`no price${before}${frame}`)
    const { stack } = JSON.parse(text).err
    // The only frame is that of the page.
    const isRight = !/^\s*at /m.test(failure.message) && stack.match(/^\s*at /gm)?.length === 1
    return isRight ? undefined : { message: failure.message, stack }
  })
  t.strictSame(failing, [])
  t.equal((await report('look\n  at-sign\nathens')).failure.message, 'look\n  at-sign\nathens')
})

// A quadratic pattern would take hours for these, and the test would end by its timeout.
t.test('the search for such lines takes linear time', async (t) => {
  const times = 1_000_000
  const parts = ['\n', ' ', '\n ', '\t', '\na', 'at', '\nat', '\n at']
  const failing = await findFailing(
    parts.flatMap((part) => ['', 'at ', 'a'].map((end) => ({ part, end }))),
    ({ part, end }) => withoutFrames(part.repeat(times) + end).length >= times,
    () => true,
  )
  t.strictSame(failing, [])
})

t.test('how lines are broken does not make another failure', async (t) => {
  const fingerprints = [await report('a b'), await report('a\nb'), await report('a\r\nb')].map(
    ({ failure }) => failure.fingerprint,
  )
  t.equal(new Set(fingerprints).size, 1)
})
