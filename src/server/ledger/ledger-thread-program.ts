// The program of the ledger's thread.

import { parentPort, workerData } from 'node:worker_threads'
import { answerCall, enterGate, type LedgerCall, leaveGate, type ThreadData, type ThreadMessage } from './ledger-rpc.ts'
import { createFileLedger } from './sqlite/file-ledger.ts'

// `ledger-thread.ts` passes a `ThreadData`.
const { file, limits, isKnown, gate } = workerData as ThreadData
const send = (message: ThreadMessage) => parentPort?.postMessage(message)
const ledger = createFileLedger(file, limits, (text) => send({ kind: 'notice', text }), isKnown)

let running = 0

parentPort?.on('message', async (call: LedgerCall) => {
  if (running === 0 && !enterGate(gate)) return
  running++
  send(await answerCall(ledger, call))
  running--
  if (running === 0) leaveGate(gate)
  // Without its port the thread has nothing left to do, and exits.
  if (call.method === 'close') parentPort?.close()
})
