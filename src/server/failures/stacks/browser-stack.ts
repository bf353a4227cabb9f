// Stacks as browsers write them: V8 (Chrome, Edge), SpiderMonkey (Firefox) and JavaScriptCore (Safari).

import { frameText } from './stack-frame.ts'

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
const UNPLACED = /^([^@\s]+)@unknown:0:0$/

function readOther(text: string): string[] {
  const unplaced = UNPLACED.exec(text)?.[1]
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
