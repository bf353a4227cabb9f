// What primary and workers tell each other. Both halves stand here.

import type { AddressInfo } from 'node:net'
import type { ServedBuild } from '../build-output/served-build.ts'
import type { FailureRecord } from '../errors/failure-record.ts'
import type { CallResult, LedgerCall } from '../ledger/ledger-rpc.ts'
import type { StopRequest } from '../lifecycle/shutdown.ts'
import type { NamedProcess } from '../metrics/process-metrics.ts'
import type { RequestCounts } from '../metrics/request-metrics.ts'
import type { Options } from '../options/options.ts'

export type Where = Pick<Options, 'port' | 'host' | 'socket'>

export type ToPrimary =
  /** Its site is loaded, and its options say that it is to be served there: where does the primary listen? */
  | { kind: 'listen'; where: Where }
  /** It serves, at these addresses. */
  | { kind: 'ready'; addresses: string[]; served: ServedBuild }
  /** It is ending by itself: somebody else should begin. */
  | { kind: 'leaving' }
  /** Something has asked it to stop, which is not for it to decide. */
  | { kind: 'asked' }
  /** It has taken the connection that was handed to it. */
  | { kind: 'took' }
  /** It wants no more connections. */
  | { kind: 'closed' }
  | { kind: 'call'; call: LedgerCall }
  /** What keeps it from starting. */
  | { kind: 'failed'; failure: FailureRecord }
  | { kind: 'metrics'; id: number; counts: RequestCounts; metrics: NamedProcess['metrics'] }
  /** What it has counted, unasked. */
  | { kind: 'counts'; counts: RequestCounts }

export type ToWorker =
  | { kind: 'stop'; how: StopRequest }
  | { kind: 'listening'; address: AddressInfo | string }
  /** The primary could not listen. */
  | { kind: 'unable'; message: string; code: string | undefined }
  /** Comes with a connection. */
  | { kind: 'connection' }
  /** It has all connections that were to be handed to it. */
  | { kind: 'released' }
  | { kind: 'answer'; answer: CallResult }
  | { kind: 'count'; id: number }

/** The site may send messages of its own on the same channel. */
interface Envelope<Message> {
  hydrant: Message
}

export function wrap<Message extends ToPrimary | ToWorker>(message: Message): Envelope<Message> {
  return { hydrant: message }
}

/** Null for a message that is not ours. Ours are what the other side has written. */
export function unwrap<Message extends ToPrimary | ToWorker>(sent: unknown): Message | null {
  if (typeof sent !== 'object' || sent === null || !('hydrant' in sent)) return null
  return (sent as Envelope<Message>).hydrant
}

/** Says to a process that it is a worker, and which one. It must not begin with HYDRANT_, as options do. */
export const WORKER_VARIABLE = '_HYDRANT_WORKER'
/** Says to a worker that others serve already. */
export const SUCCESSOR_VARIABLE = '_HYDRANT_SUCCESSOR'
