/** What a visitor reads when the server failed. The digest stands on a line of its own behind it. */
export function serverSentence(host: string): string {
  return `Application error: a server-side exception has occurred while loading ${host} (see the server logs for more information).`
}

/** What a visitor reads when their browser failed. */
export function clientSentence(host: string): string {
  return `Application error: a client-side exception has occurred while loading ${host} (see the browser console for more information).`
}

export function digestLine(digest: string): string {
  return `Digest: ${digest}`
}
