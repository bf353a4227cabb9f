import { types } from 'node:util'
import { NotFoundSignal, Redirection } from '../errors/http-error.ts'
import { FRAME_START, readStack } from './stacks/stack-frame.ts'

/** A thrown value as plain data. Its texts are cut to size and otherwise unchanged. */
export interface Description {
  type: string
  message: string
  /** The lines of the stack from its first frame on. `framesIn` reads them. */
  stack: string
  /** The property `code` of the error, if it is a constant such as `ECONNREFUSED`. */
  code?: string
  /** The property `digest` of the error, for the log. It is never trusted. */
  ownDigest?: string
  cause?: Description
  /** The errors of an AggregateError. */
  errors?: Description[]
}

// The limits are higher than those of a log line: redaction comes later, and has to recognize a secret that the cut of
// the line goes through.
const MAX_MESSAGE = 2_900
const MAX_NAME = 200
const MAX_STACK = 12_000
const MAX_FRAMES = 50
const MAX_FRAME = 520
const MAX_DEPTH = 5
const MAX_ERRORS = 5
/** Limit of all causes, and errors of an AggregateError, together. */
const MAX_DESCRIPTIONS = 20
/** Codes of Hydrant, Fastify and Node.js. Codes of another form may be values of a visitor. */
const CODE = /^[A-Z][A-Z\d_]{1,63}$/

interface Properties {
  [name: string | symbol]: unknown
}

/** Describes any value, including values whose properties throw. Never throws. */
export function describeThrown(value: unknown, depth = 0, seen: unknown[] = []): Description {
  if (types.isProxy(value)) return { type: 'Proxy', message: 'a Proxy was thrown', stack: '' }
  if (typeof value !== 'object' || value === null) return describePrimitive(value)
  const thrown = value as Properties
  if (seen.includes(thrown)) return { type: 'Circular', message: 'its own cause', stack: '' }
  seen.push(thrown)
  const known = describeSignal(thrown) ?? describeResponse(thrown)
  if (known) return known
  const message = read(thrown, 'message')
  const isError = looksLikeError(thrown)
  const name = isError ? read(thrown, 'name') : 'Object'
  const description: Description = {
    type: typeof name === 'string' && name !== '' ? name.slice(0, MAX_NAME) : 'Error',
    message: cut(isError ? text(message) : describeObject(thrown), MAX_MESSAGE),
    stack: stackOf(
      attempt(() => readStack(thrown)),
      message,
    ),
  }
  const code = isError ? read(thrown, 'code') : undefined
  if (typeof code === 'string' && CODE.test(code)) description.code = code
  const ownDigest = read(thrown, 'digest')
  if (typeof ownDigest === 'string') description.ownDigest = ownDigest.slice(0, MAX_NAME)
  if (!isError || depth >= MAX_DEPTH || seen.length >= MAX_DESCRIPTIONS) return description
  const cause = read(thrown, 'cause')
  if (cause !== undefined && cause !== UNREADABLE) description.cause = describeThrown(cause, depth + 1, seen)
  const list = read(thrown, 'errors')
  const errors = attempt(() => Array.isArray(list) && Array.prototype.slice.call(list, 0, MAX_ERRORS))
  if (Array.isArray(errors)) description.errors = errors.map((error) => describeThrown(error, depth + 1, seen))
  return description
}

/** Describes a value of `redirect` or `notFound`, which is a failure only where Hydrant cannot receive it. */
function describeSignal(thrown: object): Description | null {
  // `instanceof` would look into a Proxy in the prototype chain.
  const kind = [Redirection, NotFoundSignal].find(({ prototype }) => prototype === Object.getPrototypeOf(thrown))
  if (!kind) return null
  const message = `${thrown} was called where Hydrant does not wait for it; is an "await" missing?`
  return { type: kind.name, message: cut(message, MAX_MESSAGE), stack: '' }
}

/** Describes a Response, which other frameworks send when it is thrown. */
function describeResponse(thrown: Properties): Description | null {
  // Node.js loads `fetch` when the class is first named, which takes 10 MB.
  if (read(thrown, Symbol.toStringTag) !== 'Response' || looksLikeError(thrown)) return null
  const message = `a Response with the status ${text(read(thrown, 'status'))} was thrown, which Hydrant does not send; call redirect() or notFound(), or throw an HttpError`
  return { type: 'Response', message: cut(message, MAX_MESSAGE), stack: '' }
}

const UNREADABLE = Symbol('unreadable')

/** Returns the result of work that reads a thrown value; UNREADABLE if a getter or a proxy in it throws. */
function attempt<Result>(work: () => Result): Result | typeof UNREADABLE {
  try {
    return work()
  } catch {
    return UNREADABLE
  }
}

// A getter may return another value each time: each property is read once.
function read(object: Properties, name: string | symbol): unknown {
  return attempt(() => object[name])
}

function looksLikeError(value: object): boolean {
  return attempt(() => types.isNativeError(value) || value instanceof Error) === true
}

function text(value: unknown): string {
  if (value === UNREADABLE) return '(cannot be read)'
  return typeof value === 'string' ? value : cut(primitiveText(value), MAX_MESSAGE)
}

function describePrimitive(value: unknown): Description {
  const type = value === null ? 'null' : typeof value
  const message = value === null || value === undefined ? describeNothing(value) : primitiveText(value)
  return { type, message: cut(message, MAX_MESSAGE), stack: '' }
}

/** Returns the message for `throw undefined`, `throw null` or `Promise.reject()`. */
export function describeNothing(value: null | undefined): string {
  return `nothing (${value}) was thrown`
}

function primitiveText(value: unknown): string {
  return (typeof value === 'object' && value !== null) || typeof value === 'function' ? typeof value : String(value)
}

// The values of an object that is not an error may be secrets: only its keys are shown.
function describeObject(object: object): string {
  const keys = attempt(() => Object.keys(object).slice(0, 20).join(', '))
  return keys === UNREADABLE ? 'an object that cannot be read' : `an object with the keys ${keys || '(none)'}`
}

function stackOf(stack: unknown, message: unknown): string {
  if (typeof stack !== 'string') return ''
  const start = typeof message === 'string' && message !== '' ? stack.indexOf(message) + message.length : 0
  const first = stack.indexOf(`\n${FRAME_START}`, Math.max(0, start))
  return first === -1 ? '' : stack.slice(first + 1, first + 1 + MAX_STACK)
}

/** Returns the lines of a stack that are frames. */
export function framesIn(stack: string): string[] {
  const lines = stack.split('\n').filter((line) => line.startsWith(FRAME_START))
  return lines.slice(0, MAX_FRAMES).map((line) => line.slice(0, MAX_FRAME))
}

function cut(value: string, length: number): string {
  return value.length > length ? `${value.slice(0, length)}… (${value.length} characters)` : value
}
