import { createDelegateLedger, createForwardingLedger } from '../ledger/delegate-ledger.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createCalls } from '../ledger/ledger-rpc.ts'
import type { PrimaryChannel } from './primary-channel.ts'

/** The ledger of a worker: it calls the primary's, and opens a ledger of its own once the primary has exited. */
export function createRemoteLedger(channel: PrimaryChannel, openLocal: () => Ledger): Ledger {
  const calls = createCalls((call) => void channel.send({ kind: 'call', call }))
  const remote = createForwardingLedger(calls.call, async () => {})
  let local: Ledger | null = null
  channel.listen((message) => {
    if (message.kind === 'answer') calls.settle(message.answer)
  })
  channel.onClose(() => calls.failAll(new Error('the primary has exited')))
  return createDelegateLedger(
    (work) => {
      if (channel.isOpen()) return work(remote)
      local ??= openLocal()
      return work(local)
    },
    async () => local?.close(),
  )
}
