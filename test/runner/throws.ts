// Throws errors that nothing catches on purpose: `pool.test.ts` runs it.

import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'

function refuse() {
  throw new Error('refused')
}

t.test('uncaught errors', async (t) => {
  await t.test('of a timer', async () => {
    setTimeout(() => refuse(), 10)
    await wait(30)
  })
  await t.test('of a promise', async () => {
    void Promise.resolve().then(refuse)
    await wait(30)
  })
})

t.test('a test that passes', async (t) => {
  t.ok(true)
})
