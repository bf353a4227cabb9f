import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ShellRest } from '../cache/shell-rest.ts'

/** The shell of a document. Its nonces are placeholders, which hashes replace. */
export interface RenderedShell {
  text: string
  nonce: string
  styleNonce: string | undefined
  rest: ShellRest
}

/** Watches the loads and the render of a response that the page cache may store. */
export interface PageCapture {
  /** The request and the reply that the loads get. They record reads of values that identify a visitor. */
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** The results of the guards, which belong to the visitor. */
  readonly context: Record<string, unknown>
  /** Calls a load or renders, without the request's `AsyncLocalStorage` stores. */
  run<Result>(work: () => Result): Result
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
