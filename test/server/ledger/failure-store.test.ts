import t from 'tap'
import { createFailureStoreFor } from '../../../src/server/ledger/failure-store.ts'
import { createNullLedger } from '../../../src/server/ledger/null-ledger.ts'

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
  const told: unknown[] = []
  const tell = (...words: unknown[]) => void told.push(words)
  const keeper = createFailureStoreFor(ledger, { error: tell, warn: tell, info: tell })
  keeper.markRecovered('AAAAAAAA-000001')
  await new Promise(setImmediate)
  t.strictSame(calls, ['markRecovered AAAAAAAA-000001'])
  const isClosed = keeper.close()
  await new Promise(setImmediate)
  t.equal(calls.length, 1, 'not while it is being asked')
  answer(false)
  await isClosed
  keeper.markRecovered('BBBBBBBB-000001')
  await new Promise(setImmediate)
  t.strictSame(calls, ['markRecovered AAAAAAAA-000001', 'close'])
  t.strictSame(told, [], 'and nobody is warned')
})
