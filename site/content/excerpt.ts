/** A part of a text. Each piece is either a found word or the text between two of them. */
export type Excerpt = readonly { text: string; isFound: boolean }[]

const LENGTH = 220
/** The text before the first found word. */
const BEFORE = 60

/** Returns the part of a text that begins shortly before the first of the words. The words are in lower case. */
export function excerptOf(text: string, words: readonly string[]): Excerpt {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place !== -1)
  const first = places.length > 0 ? Math.min(...places) : 0
  // Begins and ends between two words.
  const start = first <= BEFORE ? 0 : text.indexOf(' ', first - BEFORE) + 1
  const end = start + LENGTH >= text.length ? text.length : Math.max(text.lastIndexOf(' ', start + LENGTH), start + 1)
  const shown = `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`
  if (words.length === 0) return [{ text: shown, isFound: false }]
  const longestFirst = [...words].sort((a, b) => b.length - a.length)
  const found = new RegExp(`(${longestFirst.map(escapePattern).join('|')})`, 'giu')
  return shown
    .split(found)
    .map((piece, index) => ({ text: piece, isFound: index % 2 === 1 }))
    .filter((piece) => piece.text !== '')
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
