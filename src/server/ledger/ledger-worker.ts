// Runs in the thread of the ledger.

import { parentPort, workerData } from 'node:worker_threads'
import { createFileLedger } from './file-ledger.ts'
import { type LedgerAnswer, type LedgerCall, sendError, type ThreadInput } from './ledger-calls.ts'

// `ledger-thread.ts` has given it.
const { file, limits } = workerData as ThreadInput
const answer = (message: LedgerAnswer) => parentPort?.postMessage(message)
const ledger = createFileLedger(file, limits, (text) => answer({ kind: 'notice', text }))

parentPort?.on('message', async ({ id, method, args }: LedgerCall) => {
  // The arguments are those of that method, as the other side has been given them.
  const call = ledger[method] as (...args: readonly unknown[]) => Promise<unknown>
  try {
    answer({ kind: 'done', id, value: await call(...args) })
  } catch (error) {
    answer({ kind: 'failed', id, error: sendError(error) })
  }
  // With nobody to listen to, the thread ends.
  if (method === 'close') parentPort?.close()
})
