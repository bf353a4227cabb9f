import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SourceFrame, StandIn } from '../../errors/failure-record.ts'
import { memoize } from '../../util/memoize.ts'
import { PACKAGE_FOLDER } from '../../util/paths.ts'

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

export interface StackFrame {
  isAsync: boolean
  function: string
  /** A path or a URL. */
  location: string
  line: number
  column: number
}

const FRAME =
  /^ {4}at (async )?(?:(.*?) \()?([^\s()]*?|(?:file|https?):\/\/.*?|\/.*?|(?:[A-Za-z]:|\\)\\.*?):(\d+):(\d+)\)?$/

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

/**
 * Reads the stack of an error, without the frames of React, Fastify and Hydrant that called the site's functions. The functions
 * of the site that called Hydrant are left, as those that call a function of `perRequest`.
 *
 * A permanent `prepareStackTrace` would belong to the app. `Error.stackTraceLimit` counts from the innermost frame, so
 * the frames of the site below a deep library would be lost first.
 *
 * perf: V8 writes each frame when the stack is first read, 110 µs instead of 119 µs for a page whose load fails and
 * 159 µs instead of 178 µs for one whose component fails, commit 1ee25b7f
 */
export function readStack(error: { stack?: unknown }): unknown {
  // A format of another library may return anything. Node's own source maps use the same hook.
  const format: unknown = Error.prepareStackTrace
  if (!isNodeFormat(format) || process.sourceMapsEnabled) return error.stack
  try {
    Error.prepareStackTrace = writeStack
  } catch {
    // `Error` is frozen.
    return error.stack
  }
  try {
    return error.stack
  } finally {
    Error.prepareStackTrace = format as typeof Error.prepareStackTrace
  }
}

const OWN_FOLDER = join(PACKAGE_FOLDER, 'dist', 'src')
const OWN_URL = pathToFileURL(OWN_FOLDER).href
const OWN = /(?:^|[\\/])node_modules[\\/]hydrant[\\/]/
const CALLER = /(?:^|[\\/])node_modules[\\/](?:react|react-dom|scheduler|fastify)[\\/]/
const PACKAGE = /^node:|[\\/]node_modules[\\/]/

/** Returns true for a path or file URL of React, Fastify or Hydrant, which call the functions of the site. */
export function isCaller(file: string): boolean {
  return isOwn(file) || CALLER.test(file)
}

/** Returns true for a path or file URL of Hydrant. */
export function isOwn(file: string): boolean {
  return file.startsWith(OWN_FOLDER) || file.startsWith(OWN_URL) || OWN.test(file)
}

// Writes a stack in the format of V8 and Node.js.
function writeStack(error: Error, frames: readonly NodeJS.CallSite[]): string {
  let text = headOf(error)
  let isWithinSite = false
  let isBelowOwn = false
  for (const frame of frames) {
    const kind = kindOf(frame.getFileName() ?? '')
    if (kind === 'caller' && isWithinSite) break
    isWithinSite ||= kind === 'site'
    isBelowOwn = kind !== 'site' && (isBelowOwn || (kind === 'own' && isWithinSite))
    if (!isBelowOwn) text += `\n    at ${frame}`
  }
  return text
}

function headOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    // The name or the message cannot be read.
    return 'Error'
  }
}

type Kind = 'own' | 'caller' | 'site' | 'other'
const MAX_KINDS = 1_000

// Code that is evaluated may have any name.
const kindOf = memoize(MAX_KINDS, (file): Kind => {
  if (isOwn(file)) return 'own'
  if (CALLER.test(file)) return 'caller'
  return file === '' || PACKAGE.test(file) ? 'other' : 'site'
})

const EXAMPLE = new Error('example')
let checked: { format: unknown; isNode: boolean } = { format: undefined, isNode: true }

/** Returns true when `Error.prepareStackTrace` is unset or Node's own: some versions of Node.js set it, some do not. */
function isNodeFormat(format: unknown): boolean {
  if (checked.format !== format) checked = { format, isNode: format === undefined || writesNodeFormat(format) }
  return checked.isNode
}

function writesNodeFormat(format: unknown): boolean {
  try {
    return typeof format === 'function' && format(EXAMPLE, ['place']) === `${EXAMPLE}\n    at place`
  } catch {
    return false
  }
}

// Stacks as browsers write them: V8 (Chrome, Edge), SpiderMonkey (Firefox) and JavaScriptCore (Safari).

const MAX_FRAMES = 50
const MAX_FRAME = 500
const V8 = /^ {4}at \S/
/** The end of `load@https://…/a.js:1:2` and of `https://…/a.js:1:2`. */
const POSITION = /:(\d{1,10}):(\d{1,10})$/
const URL_START = /(?:https?|file|blob|[\w-]{1,30}-extension):/y
const PATH = /^[^@\s]*\.\w+$/

/** Returns the frames of a browser's stack in V8's format. Lines of Firefox and Safari without a place are left out. */
export function readBrowserStack(stack: string): string[] {
  const lines = stack.split('\n')
  const isV8 = lines.some((line) => V8.test(line))
  const frames = isV8 ? lines.filter((line) => V8.test(line)) : lines.flatMap(readOther)
  return frames.slice(0, MAX_FRAMES).map((frame) => frame.slice(0, MAX_FRAME))
}

/** `main@unknown:0:0`: React's stack of components has this line for a component without a place. */
const UNPLACED_IN_BROWSER = /^([^@\s]+)@unknown:0:0$/

function readOther(text: string): string[] {
  const unplaced = UNPLACED_IN_BROWSER.exec(text)?.[1]
  if (unplaced !== undefined) return [`    at ${unplaced} (<anonymous>)`]
  const trimmed = text.trim()
  const position = POSITION.exec(trimmed)
  const place = position && splitPlace(trimmed.slice(0, position.index))
  if (!place) return []
  const [called, file] = place
  const [, line, column] = position
  // Evaluated code has no place: `app.js line 5 > eval` is where it was evaluated.
  if (/ line \d+ > (?:eval|Function)/.test(file)) return []
  // `async*load`, `setTimeout handler*load`: the part before the asterisk says how the function came to be called.
  const trigger = /^(.*?)\*/.exec(called)?.[1]
  const name = cleanName(trigger === undefined ? called : called.slice(trigger.length + 1))
  const frame = { file, line: Number(line), column: Number(column), function: name, isSite: false }
  return [frameText(frame, trigger !== undefined)]
}

/** Splits the text before a position at the `@` after which a file begins. Takes linear time. */
function splitPlace(text: string): [called: string, file: string] | null {
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    URL_START.lastIndex = at + 1
    if (URL_START.test(text)) return [text.slice(0, at), text.slice(at + 1)]
  }
  URL_START.lastIndex = 0
  if (URL_START.test(text)) return ['', text]
  // A path has no `@`.
  const last = text.lastIndexOf('@')
  const file = text.slice(last + 1)
  return PATH.test(file) ? [text.slice(0, Math.max(last, 0)), file] : null
}

// Firefox writes `outer/inner/<` for a function without a name inside `inner`. Safari has names for code outside of
// functions.
function cleanName(name: string): string {
  if (/^(?:global|module|eval) code$/.test(name)) return ''
  return name.replace(/\/<$|<$/, '').replace(/^.*\//, '')
}
