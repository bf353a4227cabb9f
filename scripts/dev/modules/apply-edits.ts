/** A replacement of the text between two offsets. */
export interface Edit {
  start: number
  end: number
  text: string
}

/** Applies edits that do not overlap. Keeps the line breaks of replaced text. */
export function applyEdits(code: string, edits: readonly Edit[]): string {
  let result = ''
  let at = 0
  for (const { start, end, text } of [...edits].sort((a, b) => a.start - b.start)) {
    const lines = code.slice(start, end).split('\n').length - text.split('\n').length
    result += code.slice(at, start) + text + '\n'.repeat(Math.max(0, lines))
    at = end
  }
  return result + code.slice(at)
}
