import { decodedMappings, encodedMappings, type SourceMapSegment, TraceMap } from '@jridgewell/trace-mapping'
import { createPositions } from './parse-script.ts'

/** A text without line breaks. */
export interface Insertion {
  offset: number
  text: string
  /** Whether the text leads to the source of the character after it. Otherwise it leads to that of the one before. */
  isBefore: boolean
}

/** Inserts texts into a script. Two at one offset keep their order. */
export function insertTexts(code: string, insertions: readonly Insertion[]): string {
  let result = ''
  let at = 0
  for (const { offset, text } of ordered(insertions)) {
    result += code.slice(at, offset) + text
    at = offset
  }
  return result + code.slice(at)
}

/** Returns the mappings of a source map after texts were inserted into `code`. */
export function shiftMappings(map: TraceMap, code: string, insertions: readonly Insertion[]): string {
  const positionOf = createPositions(code)
  const byLine = new Map<number, Placed[]>()
  for (const insertion of ordered(insertions)) {
    const [line, column] = positionOf(insertion.offset)
    const inLine = byLine.get(line) ?? []
    inLine.push({ ...insertion, column })
    byLine.set(line, inLine)
  }
  const mappings = decodedMappings(map).map((segments, line): SourceMapSegment[] => {
    const inserted = byLine.get(line)
    return inserted ? shiftLine(segments, inserted) : [...segments]
  })
  return encodedMappings(new TraceMap({ version: 3, names: [], sources: [], mappings }))
}

function ordered(insertions: readonly Insertion[]): Insertion[] {
  return [...insertions].sort((a, b) => a.offset - b.offset)
}

interface Placed extends Insertion {
  column: number
}

function shiftLine(segments: readonly SourceMapSegment[], inserted: readonly Placed[]): SourceMapSegment[] {
  const shifted: SourceMapSegment[] = []
  let [next, length] = [0, 0]
  for (const segment of segments) {
    for (let one = inserted[next]; one && one.column <= segment[0]; one = inserted[++next]) {
      if (one.column === segment[0] && one.isBefore) shifted.push(moved(segment, length))
      length += one.text.length
    }
    shifted.push(moved(segment, length))
  }
  return shifted
}

function moved(segment: SourceMapSegment, length: number): SourceMapSegment {
  const copy: SourceMapSegment = [...segment]
  copy[0] += length
  return copy
}

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
