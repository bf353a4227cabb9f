import { STATUS_CODES } from 'node:http'
import { serverSentence } from '../../shared/wire/error-messages.ts'
import { type PublicError, publicMessage } from '../../shared/wire/public-error.ts'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** An error for programs (https://www.rfc-editor.org/rfc/rfc9457). */
export interface Problem {
  type: string
  /** The status in words. */
  title: string
  status: number
  /** The sentence of a failure, the message of a refusal. */
  detail: string
  /** Path of the request. */
  instance: string
  /** Of a failure. */
  digest?: string
}

export function createProblem(shown: PublicError, host: string, path: string): Problem {
  const status = shown.kind === 'failure' && shown.side === 'client' ? 500 : shown.status
  const problem = { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, instance: path }
  if (shown.kind === 'refusal') return { ...problem, detail: publicMessage(shown, host) }
  return { ...problem, detail: serverSentence(host), ...(shown.side === 'server' ? { digest: shown.digest } : {}) }
}
