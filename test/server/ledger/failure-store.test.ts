import t from 'tap'
import { createFailureStoreFor } from '../../../src/server/ledger/failure-store.ts'
import { createNullLedger } from '../../../src/server/ledger/memory-ledger.ts'

t.test('reads nothing from the ledger once it is closed, because that would open it again', async (t) => {
  const calls: string[] = []
  let answer = (_isKnown: boolean) => {}
  const known = new Promise<boolean>((resolve) => {
    answer = resolve
  })
  const ledger = {
    ...createNullLedger(),
    markRecovered(digest: string) {
      calls.push(`markRecovered ${digest}`)
      return known
    },
    async close() {
      calls.push('close')
    },
  }
  const logged: unknown[] = []
  const write = (...words: unknown[]) => void logged.push(words)
  const store = createFailureStoreFor(ledger, { error: write, warn: write, info: write })
  store.markRecovered('AAAAAAAA-000001')
  await new Promise(setImmediate)
  t.strictSame(calls, ['markRecovered AAAAAAAA-000001'])
  const isClosed = store.close()
  await new Promise(setImmediate)
  t.equal(calls.length, 1, 'not while a call is pending')
  answer(false)
  await isClosed
  store.markRecovered('BBBBBBBB-000001')
  await new Promise(setImmediate)
  t.strictSame(calls, ['markRecovered AAAAAAAA-000001', 'close'])
  t.strictSame(logged, [], 'without a warning')
})
