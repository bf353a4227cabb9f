import { showControlCharacters } from '../../src/server/log/control-characters.ts'

/** A text in one line, without anything that a terminal obeys. */
export function toLine(text: string): string {
  return showControlCharacters(text.replaceAll('\t', '  ').replace(/\r?\n/g, ' ⏎ '))
}

/** The same, with its ends of lines. */
export function toLines(text: string): string[] {
  return text.split(/\r?\n/).map(toLine)
}

const SIGNS = new Intl.Segmenter('en', { granularity: 'grapheme' })
const PRINTABLE_ASCII = /^[ -~]*$/
// Of https://www.unicode.org/reports/tr11/ the wide and full-width blocks, and what is shown as a picture.
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{17000}-\u{18dff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}|\ufe0f/u
const WITHOUT_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u

/** How many columns of a terminal a line takes. */
export function widthOf(line: string): number {
  if (PRINTABLE_ASCII.test(line)) return line.length
  let width = 0
  for (const { segment } of SIGNS.segment(line)) width += widthOfSign(segment)
  return width
}

/** What of a line fits, with a sign at its end when that is not all. */
export function cutToWidth(line: string, width: number): string {
  if (widthOf(line) <= width) return line
  let cut = ''
  let taken = 1
  for (const { segment } of SIGNS.segment(line)) {
    taken += widthOfSign(segment)
    if (taken > width) break
    cut += segment
  }
  return `${cut}…`
}

export function padToWidth(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - widthOf(line)))
}

function widthOfSign(sign: string): number {
  if (WITHOUT_WIDTH.test(sign)) return 0
  return WIDE.test(sign) ? 2 : 1
}
