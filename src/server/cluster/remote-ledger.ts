import { createDelegateLedger, createForwardingLedger } from '../ledger/delegate-ledger.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type CallResult, createCalls } from '../ledger/ledger-rpc.ts'
import type { PrimaryChannel } from './primary-channel.ts'

export interface RemoteLedger {
  ledger: Ledger
  /** Takes what the primary has answered. */
  settle(answer: CallResult): void
}

/** The ledger of a worker: the primary's, and one of its own when there is no primary any more. */
export function createRemoteLedger(link: PrimaryChannel, openOwn: () => Ledger): RemoteLedger {
  const calls = createCalls((call) => void link.send({ kind: 'call', call }))
  const remote = createForwardingLedger(calls.call, async () => {})
  let own: Ledger | null = null
  link.onClose(() => calls.failAll(new Error('the primary has exited')))
  return {
    settle: calls.settle,
    ledger: createDelegateLedger(
      (work) => {
        if (link.isOpen()) return work(remote)
        own ??= openOwn()
        return work(own)
      },
      async () => own?.close(),
    ),
  }
}
