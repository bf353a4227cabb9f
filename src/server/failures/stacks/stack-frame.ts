import type { SourceFrame, StandIn } from '../../errors/failure-record.ts'

/** A frame of a stack, mapped to the source where a map exists. */
export interface MappedFrame {
  /** The line of the stack: `    at load (pages/index.server.ts:3:9)`. */
  text: string
  /** Null for a line without a place. */
  frame: SourceFrame | null
  /**
   * Set for a frame that was found by a minified name. It does not count for the fingerprint: names change with each
   * build.
   */
  isByName?: true
  /** Set for a frame that stands for a stack without a frame in the site. */
  standIn?: StandIn
}

/** A frame of a stack as V8 writes it. */
export interface StackFrame {
  isAsync: boolean
  function: string
  /** A path or a URL. */
  location: string
  line: number
  column: number
}

const FRAME = /^ {4}at (async )?(?:(.*?) \()?([^\s()]*?|(?:file|https?):\/\/.*?|\/.*?|[A-Za-z]:\\.*?):(\d+):(\d+)\)?$/

/** Parses a line of a stack. Returns null for a line without a place. */
export function readFrame(text: string): StackFrame | null {
  const match = FRAME.exec(text)
  if (!match) return null
  const [, isAsync, name = '', location = '', line, column] = match
  return { isAsync: isAsync !== undefined, function: name, location, line: Number(line), column: Number(column) }
}

/** `    at Price (<anonymous>)`: a component in React's stack of components whose place React does not know. */
const UNPLACED = /^ {4}at (\S+) \(<anonymous>\)$/

/** Returns the component's name in a line without a place, or undefined for any other line. */
export function unplacedName(text: string): string | undefined {
  return UNPLACED.exec(text)?.[1]
}

/** The beginning of a line that is a frame. */
export const FRAME_START = '    at '
/** The beginning of a frame of a function that awaits the one before it. */
export const ASYNC = `${FRAME_START}async `

/** Formats a frame as a line that `readFrame` parses. */
export function frameText({ file, line, column, function: name }: SourceFrame, isAsync = false): string {
  const place = `${file}:${line}:${column}`
  const start = isAsync ? ASYNC : FRAME_START
  return start + (name ? `${name} (${place})` : place)
}
