import { readFileSync } from 'node:fs'
import t from 'tap'
import { failureJson, summaryJson } from '../../src/server/ledger/failure-json.ts'
import { failure, ledgerOf } from '../scripts/failed-ledger.ts'

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

t.test('the table has each field, and the text names those that a list leaves out', async (t) => {
  const [summary] = await (await ledgerOf(failure())).list({})
  const fields = Object.keys(example)
  for (const field of fields) t.match(markdown, new RegExp(`^\\| .*\`${field}\`.* \\|`, 'm'), field)
  const inList = Object.keys((summary && summaryJson(summary)) ?? {})
  t.strictSame(
    fields.filter((field) => !inList.includes(field)),
    ['stack', 'causes', 'errors', 'occurrences'],
  )
})

t.test('every flag is documented', async (t) => {
  for (const [, flag = ''] of readFileSync('scripts/commands/add-errors-command.ts', 'utf8').matchAll(
    /\.option\('(--\w+)/g,
  )) {
    t.match(markdown, `\`${flag}`, flag)
  }
})

/** Returns the names of all fields. For an array, returns those of its first item. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return null
  const names = Object.keys(value).sort()
  return names.map((name) => [name, shapeOf(Reflect.get(value, name))])
}
