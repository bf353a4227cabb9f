// docs/console.md describes the API and the metrics as they are.

import { readFileSync } from 'node:fs'
import t from 'tap'
import { failureOf, serveAdmin } from '../server/admin/served-admin.ts'
import { keepTimes, requestOf } from '../server/ledger/slow-times.ts'

const text = readFileSync('docs/console.md', 'utf8')

/** Returns every name in the value, by its path. */
function namesIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.slice(0, 1).flatMap((item) => namesIn(item, `${path}[]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => [`${path}.${name}`, ...namesIn(part, `${path}.${name}`)])
}

t.test('a failure has the same names as the example', async (t) => {
  const [, example = ''] = /^\$ curl \S+ \S+\n(\{.*?\})\n```/ms.exec(text) ?? []
  const admin = await serveAdmin(t)
  await admin.keep(failureOf('XW2KWM4A-1Z8N8T'))
  const { body } = await admin.ask('/api/failures/XW2KWM4A-1Z8N8T')
  t.strictSame(namesIn(JSON.parse(example)).sort(), namesIn(JSON.parse(body)).sort())
})

t.test('all of Hydrant’s own metrics are documented, and no others', async (t) => {
  const admin = await serveAdmin(t)
  admin.recorder.countStore(() => ({ isUp: true, waiting: 0 }))
  const { body } = await admin.ask('/metrics')
  const measured = [...body.matchAll(/^# TYPE (hydrant_\w+)/gm)].map(([, name]) => name)
  const documented = [...text.matchAll(/`(hydrant_\w+)(?:\{[^}]*\})?`/g)].map(([, name]) => name)
  t.strictSame([...new Set(documented)].sort(), measured.sort())
})

t.test('every documented request gets a response', async (t) => {
  const admin = await serveAdmin(t)
  await admin.keep(failureOf('7K2M9QX4-000001'))
  await keepTimes(admin.store.ledger, { steps: [], requests: [requestOf('A-1')] })
  const rows = [...text.matchAll(/^\| `(GET|POST) (\/\S+)` \|/gm)]
  t.equal(rows.length, 10)
  for (const [, method, path = ''] of rows.filter(([row]) => !row.includes('events'))) {
    const { status } = await admin.ask(path.replace('<digest>', '7K2M9QX4').replace('<id>', 'A-1'), {}, method)
    t.equal(status, 200, path)
  }
})
