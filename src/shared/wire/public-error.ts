/** Where a failure happened: on the server or in the browser. */
export type Side = 'server' | 'client'

/** The part of an error that a visitor may see. */
export type PublicError =
  | { kind: 'failure'; side: 'server'; status: number; digest: string }
  | { kind: 'failure'; side: 'client' }
  | Refusal

/** An error that the server shows: a refusal, or a failure with its digest. */
export type ServerError = Exclude<PublicError, { side: 'client' }>

/** An error whose message is written for the visitor. */
export interface Refusal {
  kind: 'refusal'
  /** 400 to 499. */
  status: number
  message: string
}

/** Returns the text that a visitor reads. `host` is the host name in the sentence for a failure. */
export function publicMessage(error: PublicError, host: string): string {
  if (error.kind === 'refusal') return error.message
  return error.side === 'server' ? serverSentence(host) : clientSentence(host)
}

/** Returns the sentence that a visitor reads after a failure on the server. The digest follows on a separate line. */
export function serverSentence(host: string): string {
  return `Application error: a server-side exception has occurred while loading ${host} (see the server logs for more information).`
}

/** Returns the sentence that a visitor reads after a failure in the browser. */
export function clientSentence(host: string): string {
  return `Application error: a client-side exception has occurred while loading ${host} (see the browser console for more information).`
}

/** Returns the line that shows a digest to a visitor. */
export function digestLine(digest: string): string {
  return `Digest: ${digest}`
}
