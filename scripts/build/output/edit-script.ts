import { decodedMappings, encodedMappings, type SourceMapSegment, TraceMap } from '@jridgewell/trace-mapping'
import { type AnyNode, Parser, type Program, parse } from 'acorn'

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

const OPTIONS = { ecmaVersion: 'latest', sourceType: 'module' } as const

/**
 * Parses a script that esbuild has written. Returns an empty program for a text that acorn cannot read, a stylesheet
 * for example: names that are missing from a source map must not fail the build.
 */
export function parseScript(code: string): Program {
  try {
    return parse(code, OPTIONS)
  } catch {
    return parse('', OPTIONS)
  }
}

class PartParser extends Parser {
  /** Parses a script from a position on. The positions of the nodes are those in the whole script. */
  static parsePart(code: string, start: number): Program {
    return new PartParser(OPTIONS, code, start).parse()
  }
}

/**
 * Parses the modules of a bundle that contain a pattern. esbuild writes a comment with the path before each module,
 * unless it minifies: then the whole script is one part. Most modules of packages do not contain the pattern, and
 * parsing them all takes seconds.
 */
export function parseParts(code: string, pattern: RegExp): Program[] {
  const starts = [0, ...[...code.matchAll(/^\/\/ .+$/gm)].map(({ index }) => index)]
  const parts = starts.map((start, index) => [start, starts[index + 1] ?? code.length] as const)
  try {
    return parts
      .filter(([start, end]) => pattern.test(code.slice(start, end)))
      .map(([start, end]) => PartParser.parsePart(code.slice(0, end), start))
  } catch {
    // The comment was a part of a text.
    return [parseScript(code)]
  }
}

/** Lists the nodes in the order of their starts. acorn-walk recurses: chains of 1,000 calls overflow its stack. */
export function* nodesIn(program: Program): Generator<AnyNode> {
  const waiting: unknown[] = [program]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (isNode(value)) yield value
    else if (!Array.isArray(value)) continue
    for (const child of Object.values(value).reverse()) if (typeof child === 'object') waiting.push(child)
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/** Creates a function that returns the line and the column of an offset. Both count from 0. */
export function createPositions(code: string): (offset: number) => [line: number, column: number] {
  const starts = [0]
  for (let at = code.indexOf('\n'); at !== -1; at = code.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let [line, end] = [0, starts.length]
    while (end - line > 1) {
      const middle = (line + end) >> 1
      if ((starts[middle] ?? 0) <= offset) line = middle
      else end = middle
    }
    return [line, offset - (starts[line] ?? 0)]
  }
}
