// Stacks as browsers write them: V8 (Chrome, Edge), SpiderMonkey (Firefox) and JavaScriptCore (Safari).

import { frameText } from './stack-frame.ts'

const MAX_FRAMES = 50
const MAX_FRAME = 500
const V8 = /^ {4}at \S/
/** `load@https://…/a.js:1:2`, `https://…/a.js:1:2` */
const OTHERS = /^(?:(.*?)@)?((?:https?|file|blob|[\w-]+-extension):.*?|[^@\s]*\.\w+):(\d+):(\d+)$/

/** The frames of a stack as V8 writes them, without what does not say a place in Firefox and Safari. */
export function readBrowserStack(stack: string): string[] {
  const lines = stack.split('\n')
  const isV8 = lines.some((line) => V8.test(line))
  const frames = isV8 ? lines.filter((line) => V8.test(line)) : lines.flatMap(readOther)
  return frames.slice(0, MAX_FRAMES).map((frame) => frame.slice(0, MAX_FRAME))
}

/** `main@unknown:0:0`: React names what has no place so in its stack of components. */
const UNPLACED = /^([^@\s]+)@unknown:0:0$/

function readOther(text: string): string[] {
  const unplaced = UNPLACED.exec(text)?.[1]
  if (unplaced !== undefined) return [`    at ${unplaced} (<anonymous>)`]
  const match = OTHERS.exec(text.trim())
  if (!match) return []
  const [, called = '', file = '', line, column] = match
  // Of code that was evaluated: where it was written stands before `line 5 > eval`.
  if (/ line \d+ > (?:eval|Function)/.test(file)) return []
  // `async*load`, `setTimeout handler*load`: what has led there.
  const cause = /^(.*?)\*/.exec(called)?.[1]
  const name = cleanName(cause === undefined ? called : called.slice(cause.length + 1))
  const frame = { file, line: Number(line), column: Number(column), function: name, isSite: false }
  return [frameText(frame, cause !== undefined)]
}

// Firefox writes `outer/inner/<` for what has no name inside of `inner`; Safari names what surrounds all functions.
function cleanName(name: string): string {
  if (/^(?:global|module|eval) code$/.test(name)) return ''
  return name.replace(/\/<$|<$/, '').replace(/^.*\//, '')
}
