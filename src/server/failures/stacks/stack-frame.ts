import type { SourceFrame } from '../../errors/failure-record.ts'

export interface MappedFrame {
  /** As it stands in a stack: `    at load (pages/index.server.ts:3:9)`. */
  text: string
  /** Null for a line that names no place. */
  frame: SourceFrame | null
  /** Found by a minified name, which another build may give to more than one: it does not count for the fingerprint. */
  isByName?: true
}

/** A frame of a stack as V8 writes it. */
export interface StackFrame {
  isAsync: boolean
  function: string
  /** Path or URL. */
  location: string
  line: number
  column: number
}

const FRAME = /^ {4}at (?:(async )?(.*?) \()?([^\s()]*?|(?:file|https?):\/\/.*?|\/.*?|[A-Za-z]:\\.*?):(\d+):(\d+)\)?$/

/** Null for a line that names no place. */
export function readFrame(text: string): StackFrame | null {
  const match = FRAME.exec(text)
  if (!match) return null
  const [, isAsync, name = '', location = '', line, column] = match
  return { isAsync: isAsync !== undefined, function: name, location, line: Number(line), column: Number(column) }
}

/** `    at Price (<anonymous>)`: React has run the component, and that has thrown nothing with a place. */
const UNPLACED = /^ {4}at (\S+) \(<anonymous>\)$/

/** The component of such a line; undefined for any other. */
export function unplacedName(text: string): string | undefined {
  return UNPLACED.exec(text)?.[1]
}

/** What the frames begin with of those who have called asynchronously. */
export const ASYNC = '    at async '

/** Writes what `readFrame` reads. */
export function frameText({ file, line, column, function: name }: SourceFrame, isAsync = false): string {
  const place = `${file}:${line}:${column}`
  const start = isAsync ? ASYNC : '    at '
  return start + (name ? `${name} (${place})` : place)
}
