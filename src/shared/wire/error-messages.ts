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
