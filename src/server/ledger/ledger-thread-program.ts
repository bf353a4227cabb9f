// The program of the ledger's thread.

import { parentPort, workerData } from 'node:worker_threads'
import { answerCall, type LedgerCall, type ThreadInput, type ThreadMessage } from './ledger-rpc.ts'
import { createFileLedger } from './sqlite/file-ledger.ts'

// `ledger-thread.ts` passes a `ThreadInput`.
const { file, limits } = workerData as ThreadInput
const send = (message: ThreadMessage) => parentPort?.postMessage(message)
const ledger = createFileLedger(file, limits, (text) => send({ kind: 'notice', text }))

parentPort?.on('message', async (call: LedgerCall) => {
  send(await answerCall(ledger, call))
  // Without its port the thread has nothing left to do, and exits.
  if (call.method === 'close') parentPort?.close()
})
