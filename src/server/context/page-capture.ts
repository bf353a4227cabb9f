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
 * Watches the making of a response that the page cache may store: its schemas, loads and render. All of this runs in
 * `run`, and everything that is sent in `inRequest`.
 */
export interface PageCapture {
  /** The request and the reply that the loads get. They record reads of values that identify a visitor. */
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** The results of the guards, which belong to the visitor. */
  readonly context: Record<string, unknown>
  /** Calls code that makes the response, without the request's `AsyncLocalStorage` stores. */
  run<Result>(work: () => Result): Result
  /** Calls code that is for this visitor only, such as hooks, in the async context of the request. */
  inRequest<Result>(work: () => Result): Result
  /** Sets the tags of the response, which the result of its schemas decides. Call it before the loads. */
  setTags(tags: readonly string[]): void
  /**
   * Stores and sends the complete text of a response that has not failed. Returns false if the response must not be
   * stored. It has then not been sent, and may be sent to this visitor only.
   */
  send(text: string): boolean
  /**
   * Stores a shell. Returns false if it must not be stored. The response may then be sent to this visitor only.
   */
  sendShell(shell: RenderedShell): boolean
  /** Takes the redirect of a prerendered page. Returns false if the caller must send it. */
  sendRedirect(location: string, status: number): boolean
  /** Returns false if the response must not be stored because of the loads. */
  check(): boolean
  /** Keeps the page from being stored for a while. `reason` is the end of a sentence for the log. */
  refuse(reason: string): void
}
