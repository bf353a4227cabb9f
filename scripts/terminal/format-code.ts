import type { CodeLines } from '../../src/server/errors/failure-record.ts'
import type { Paint } from './paint.ts'
import { cutToWidth, toLine, widthOf } from './plain-text.ts'

/** Formats lines of the source with their numbers. Marks the line of `position` and puts a caret below its column. */
export function formatCode(
  { firstLine, lines }: CodeLines,
  position: { line: number; column: number },
  paint: Paint,
  width: number,
): string[] {
  const digits = String(firstLine + lines.length - 1).length
  const room = Math.max(20, width - digits - 6)
  return lines.flatMap((text, index) => {
    const number = firstLine + index
    const margin = String(number).padStart(digits)
    const shown = cutToWidth(toLine(text).trimEnd(), room)
    if (number !== position.line)
      return [shown === '' ? paint('dim', `    ${margin} |`) : paint('dim', `    ${margin} | `) + shown]
    const marked = `${paint('red', '  > ')}${paint('bold', margin)} ${paint('dim', '|')} ${paint('bold', shown)}`
    const before = widthOf(toLine(text.slice(0, Math.max(0, position.column - 1))))
    // The column may be in the part of the line that was cut off.
    if (position.column < 1 || before >= room) return [marked]
    return [marked, `${paint('dim', `    ${' '.repeat(digits)} | `)}${' '.repeat(before)}${paint('red', '^')}`]
  })
}
