import type { ErrorPageProps } from '../page-types.ts'
import { clientSentence, serverSentence } from './error-messages.ts'

/** What a visitor may learn of something that went wrong. */
export type PublicError =
  | { kind: 'failure'; side: 'server'; status: number; digest: string }
  | { kind: 'failure'; side: 'client' }
  | Refusal

/** An answer meant for the visitor. */
export interface Refusal {
  kind: 'refusal'
  /** 400 to 499. */
  status: number
  message: string
}

export function publicMessage(shown: PublicError, host: string): string {
  if (shown.kind === 'refusal') return shown.message
  return shown.side === 'server' ? serverSentence(host) : clientSentence(host)
}

export function errorPageProps(shown: PublicError, host: string, retry: () => void): ErrorPageProps {
  const { kind: _, ...own } = shown
  return { status: 500, side: 'server', ...own, message: publicMessage(shown, host), host, retry }
}
