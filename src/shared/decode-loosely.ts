/** Decodes the percent-encoded characters of a text. Returns a malformed text as it is. */
export function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
