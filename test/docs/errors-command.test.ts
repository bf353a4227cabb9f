import { readFileSync } from 'node:fs'
import t from 'tap'
import { failureJson, summaryJson } from '../../src/server/ledger/failure-json.ts'
import { ERROR, failure, ledgerOf } from '../scripts/failed-ledger.ts'

// Tests run in the project's folder.
const markdown = readFileSync('docs/errors-command.md', 'utf8')
const example = JSON.parse(/```json\n([\s\S]*?)```/.exec(markdown)?.[1] ?? '')

t.test('the example has the fields of a failure', async (t) => {
  const origin = { build: 'c', replica: 'd', worker: '1', pid: 2 }
  const traced = failure({ traceId: 'a', spanId: 'b', ...origin })
  const details = await (await ledgerOf(traced)).read(traced.fingerprint)
  const json = details && failureJson(details)
  t.strictSame(shapeOf(example), shapeOf(json))
})

t.test('each object has a table with exactly its fields', async (t) => {
  const inner = { type: 'Error', message: 'below', stack: [], errors: [{ ...ERROR, cause: ERROR }] }
  const [first, ...others] = ERROR.stack
  const stack = first ? [first, ...others.map((frame) => ({ ...frame, unmapped: 'no map' }))] : []
  const server = { traceId: 'a', spanId: 'b', build: 'c', replica: 'd', worker: '1', pid: 2, pending: ['load'] }
  const record = failure({ ...server, error: { ...ERROR, stack, cause: inner } })
  const details = await (await ledgerOf(record)).read(record.fingerprint)
  t.ok(details)
  if (!details) return
  const json = failureJson(details)
  const [cause] = json.causes
  t.strictSame(documented('A failure'), namesOf(json))
  t.strictSame(documented('A frame'), namesOf(...json.stack, json.source))
  t.strictSame(documented('A cause'), namesOf(cause, ...(cause?.errors ?? [])))
  t.strictSame(documented('An occurrence'), namesOf(...json.occurrences))
})

t.test('the text names the fields that a list leaves out', async (t) => {
  const [summary] = await (await ledgerOf(failure())).list({})
  const inList = Object.keys((summary && summaryJson(summary)) ?? {})
  t.strictSame(
    Object.keys(example).filter((field) => !inList.includes(field)),
    ['note', 'stack', 'causes', 'errors', 'occurrences'],
  )
})

t.test('the JSON says that a place is only a function', async (t) => {
  const [frame] = ERROR.stack
  t.ok(frame)
  const stack = frame ? [{ ...frame, standIn: 'function' as const }] : []
  const record = failure({ error: { ...ERROR, stack } })
  const details = await (await ledgerOf(record)).read(record.fingerprint)
  t.match(details && failureJson(details), { note: /, so the place is only the function\.$/ })
})

// docs/commands.md has all flags: the build writes them.
t.test('every flag that the text names is one of the command', async (t) => {
  const [, source = ''] = readFileSync('scripts/program.ts', 'utf8').split('function addErrorsCommand(')
  const named = [...markdown.matchAll(/`(--\w+)/g)].map(([, flag = '']) => flag)
  t.ok(named.length > 5)
  t.strictSame(
    named.filter((flag) => !source.includes(`.option('${flag}`)),
    [],
  )
})

/** Returns the fields in the first column of the table below a heading, sorted. */
function documented(heading: string): string[] {
  const section = markdown.split(`\n### ${heading}\n`)[1]?.split('\n#')[0] ?? ''
  const cells = section.split('\n').flatMap((line) => /^\| (`.+?`) \|/.exec(line)?.[1] ?? [])
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)).sort()
}

/** Returns the names of the fields of all these objects, sorted. */
function namesOf(...objects: readonly (object | null | undefined)[]): string[] {
  return [...new Set(objects.flatMap((one) => Object.keys(one ?? {})))].sort()
}

/** Returns the names of all fields. For an array, returns those of its first item. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return null
  const names = Object.keys(value).sort()
  return names.map((name) => [name, shapeOf(Reflect.get(value, name))])
}
