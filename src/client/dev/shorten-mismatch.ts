const LINK = 'https://react.dev/link/hydration-mismatch'

/**
 * Shortens React's message about a hydration mismatch to its sentence, the link and the difference. A report is limited
 * in length, and the difference is at the end: lines far above it are removed. Returns any other message unchanged.
 */
export function shortenMismatch(message: string, maxLength: number): string {
  const at = message.indexOf(LINK)
  if (at === -1) return message
  const [sentence = ''] = /^.*?\.(?=\s|$)/.exec(message) ?? []
  const head = `${sentence}\n\n${LINK}\n\n`
  const lines = message
    .slice(at + LINK.length)
    .replace(/^\n+/, '')
    .trimEnd()
    .split('\n')
  const first = lines.findIndex((line) => /^[+-]/.test(line))
  let from = 0
  let length = head.length + lines.join('\n').length
  while (length > maxLength && from < first) length -= (lines[from++]?.length ?? 0) + 1
  return head + lines.slice(from).join('\n')
}
