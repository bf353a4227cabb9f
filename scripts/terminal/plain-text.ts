import { createRequire } from 'node:module'
import { showControlCharacters } from '../../src/server/log/control-characters.ts'

/** Returns a text as one line, with its control characters escaped. */
export function toLine(text: string): string {
  return showControlCharacters(text.replaceAll('\t', '  ').replace(/\r?\n/g, ' ⏎ '))
}

/** Splits a text at its line breaks and escapes its control characters. */
export function toLines(text: string): string[] {
  return text.split(/\r?\n/).map(toLine)
}

const PLAIN = /^[ -~]*$/
const load = createRequire(import.meta.url)

/** Returns the width of a line in columns of a terminal. */
export function widthOf(line: string): number {
  if (PLAIN.test(line)) return line.length
  // perf: loaded with Unicode's tables at the first line that needs them, 24 ms less CPU time of each other start,
  // commit 58305e56
  const { default: stringWidth } = load('#string-width') as typeof import('#string-width')
  return stringWidth(line)
}

/** Cuts a line to `width` columns. A line that is cut ends with an ellipsis. */
export function cutToWidth(line: string, width: number): string {
  if (widthOf(line) <= width) return line
  const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })
  let cut = ''
  let taken = 1
  for (const { segment } of characters.segment(line)) {
    taken += widthOf(segment)
    if (taken > width) break
    cut += segment
  }
  return `${cut}…`
}

export function padToWidth(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - widthOf(line)))
}
