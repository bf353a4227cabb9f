// Invisible characters that break a text or change its direction, and lone surrogates.
const UNWANTED = /(?!\n)[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu

/** Returns a text without unwanted characters, with at most one empty line between two lines. */
export function cleanText(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\t/g, ' ').replace(UNWANTED, '')
  return lines.replace(/\n{3,}/g, '\n\n').trim()
}
