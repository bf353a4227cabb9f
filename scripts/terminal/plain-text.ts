import stringWidth from 'string-width'
import { showControlCharacters } from '../../src/server/log/control-characters.ts'

/** Writes a text in one line. Escapes what a terminal would obey. */
export function toLine(text: string): string {
  return showControlCharacters(text.replaceAll('\t', '  ').replace(/\r?\n/g, ' ⏎ '))
}

/** Splits a text at its line breaks. Escapes what a terminal would obey. */
export function toLines(text: string): string[] {
  return text.split(/\r?\n/).map(toLine)
}

/** Returns how many columns of a terminal a line takes. */
export function widthOf(line: string): number {
  return stringWidth(line)
}

const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Returns the beginning of a line that fits into `width` columns, with an ellipsis when something is cut. */
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
