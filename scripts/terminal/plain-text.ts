import stringWidth from '#string-width'
import { showControlCharacters } from '../../src/server/log/control-characters.ts'

/** Returns a text as one line, with its control characters escaped. */
export function toLine(text: string): string {
  return showControlCharacters(text.replaceAll('\t', '  ').replace(/\r?\n/g, ' ⏎ '))
}

/** Splits a text at its line breaks and escapes its control characters. */
export function toLines(text: string): string[] {
  return text.split(/\r?\n/).map(toLine)
}

/** Returns the width of a line in columns of a terminal. */
export function widthOf(line: string): number {
  return stringWidth(line)
}

const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Cuts a line to `width` columns. A line that is cut ends with an ellipsis. */
export function cutToWidth(line: string, width: number): string {
  if (widthOf(line) <= width) return line
  let cut = ''
  let taken = 1
  for (const { segment } of CHARACTERS.segment(line)) {
    taken += widthOf(segment)
    if (taken > width) break
    cut += segment
  }
  return `${cut}…`
}

export function padToWidth(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - widthOf(line)))
}
