// docs/slow.md describes the command and its JSON as they are.

import { readFileSync } from 'node:fs'
import t from 'tap'
import { describeSlow, readSlowRequest } from '../../scripts/commands/slow.ts'
import { createPaint } from '../../scripts/terminal/text.ts'
import { MAX_SLOW_REQUESTS, MAX_TIMES, SLOT_MS } from '../../src/server/ledger/times.ts'
import { ledgerOf, NOW } from '../scripts/failed-ledger.ts'
import { keepTimes, slowShop } from '../server/ledger/slow-times.ts'

// Tests run in the project's folder.
const markdown = readFileSync('docs/slow.md', 'utf8')

async function print(id: string | null, json: boolean): Promise<string> {
  const ledger = await ledgerOf()
  await keepTimes(ledger, slowShop(NOW), NOW - 3_600_000)
  const view = { paint: createPaint(false), width: Number.POSITIVE_INFINITY, now: NOW }
  const from = { ledger, name: '/srv/shop/hydrant-errors.db', words: ' ./shop' }
  return describeSlow(readSlowRequest(id, { json }, NOW), from, view)
}

t.test('each line of the example is one of the output, in this order', async (t) => {
  const [, example = ''] = /^\$ hydrant slow .*\n([\s\S]*?)```/m.exec(markdown) ?? []
  const printed = (await print(null, false)).split('\n')
  const lines = example.split('\n').filter((line) => line !== '' && line !== ' …')
  t.ok(lines.length > 8)
  let from = 0
  for (const line of lines) {
    const index = printed.indexOf(line, from)
    if (index === -1) t.fail(line)
    else from = index + 1
  }
})

t.test('each object has a row with exactly its fields', async (t) => {
  const list = JSON.parse(await print(null, true))
  const one = JSON.parse(await print('8MZ2K0QV-3', true))
  const [route] = list.routes
  const [step] = route.steps
  t.strictSame(documented('list'), namesOf(list))
  t.strictSame(documented('`first`'), namesOf(list.first))
  t.strictSame(documented('step'), namesOf(step))
  t.strictSame(
    documented('route').filter((name) => name !== 'request' && name !== 'loop' && name !== 'kind'),
    namesOf(route).filter((name) => !namesOf(step).includes(name)),
  )
  t.strictSame(documented('request'), namesOf(one))
  t.strictSame(
    documented('request').filter((name) => name !== 'hints' && name !== 'steps'),
    namesOf(list.slowest[0]),
  )
  t.strictSame(documented('step of a request'), namesOf(one.steps[0]))
})

t.test('the limits are those of the ledger', async (t) => {
  t.match(markdown, `${MAX_TIMES.toLocaleString('en')} places`)
  t.match(markdown, `${MAX_SLOW_REQUESTS.toLocaleString('en')} requests`)
  t.match(markdown, `slots of ${SLOT_MS / 60_000} minutes`)
})

/** Returns the fields in the row of an object, sorted. */
function documented(object: string): string[] {
  const row = markdown.split('\n').find((line) => line.startsWith(`| ${object} | `)) ?? ''
  return [...row.slice(object.length + 4).matchAll(/`(\w+)`/g)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'null')
    .sort()
}

function namesOf(value: object): string[] {
  return Object.keys(value).sort()
}
