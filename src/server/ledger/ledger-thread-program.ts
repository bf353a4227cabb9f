// Runs in the thread of the ledger.

import { parentPort, workerData } from 'node:worker_threads'
import { answerCall, type LedgerAnswer, type LedgerCall, type ThreadInput } from './ledger-rpc.ts'
import { createFileLedger } from './sqlite/file-ledger.ts'

// `ledger-thread.ts` has given it.
const { file, limits } = workerData as ThreadInput
const answer = (message: LedgerAnswer) => parentPort?.postMessage(message)
const ledger = createFileLedger(file, limits, (text) => answer({ kind: 'notice', text }))

parentPort?.on('message', async (call: LedgerCall) => {
  answer(await answerCall(ledger, call))
  // With nobody to listen to, the thread ends.
  if (call.method === 'close') parentPort?.close()
})
