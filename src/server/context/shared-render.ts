import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ShellRest } from '../cache/shell-rest.ts'

/** The shell of a document. Its nonces are placeholders, which hashes replace. */
export interface RenderedShell {
  text: string
  nonce: string
  styleNonce: string | undefined
  rest: ShellRest
}

/**
 * The making of a response that may be stored for all visitors: its schemas, loads and render. All of this runs in `run`,
 * and what is for this visitor only in `inRequest`.
 */
export interface SharedRender {
  /** The request and the reply that the loads get. They record reads of values that identify a visitor. */
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** The results of the guards, which belong to the visitor. */
  readonly context: Record<string, unknown>
  /** Calls code that makes the response, without the request's `AsyncLocalStorage` stores. */
  run<Result>(work: () => Result): Result
  /** Calls code that is for this visitor only, such as hooks, in the async context of the request. */
  inRequest<Result>(work: () => Result): Result
}
