import type { Side } from '../shared/page-types.ts'
import { type Description, framesIn } from './describe.ts'
import { causeOf } from './digest.ts'
import type { KeptError, SourceFrame } from './ledger/ledger.ts'
import { isCaller } from './read-stack.ts'
import type { SourceMapper } from './source-map.ts'
import { ASYNC, type MappedFrame } from './stack-frame.ts'

/** What removes secrets from the texts of a failure. */
export interface Redactors {
  message(text: string): string
  frame(text: string): string
}

/** An error whose frames lead to the source, without secrets. */
export interface ExaminedError {
  type: string
  message: string
  frames: readonly MappedFrame[]
  /** The error's own `digest`, never trusted. */
  ownDigest?: string
  cause?: ExaminedError
  errors?: ExaminedError[]
}

export interface Examined {
  /** Which failure it is: the first half of the digest. */
  cause: string
  error: ExaminedError
  /** Does a frame of its own lead to the site? */
  isPlaced: boolean
}

/** What a log line tells of an error. */
export interface LoggedError {
  type: string
  message: string
  stack: string
  digest?: string
  cause?: LoggedError
  errors?: LoggedError[]
}

/** `placeFrames` are asked for when no frame of the error's own lies in the site. */
export function examine(
  description: Description,
  mapper: SourceMapper,
  redact: Redactors,
  placeFrames: () => readonly MappedFrame[],
  side: Side = 'server',
): Examined {
  const error = toExamined(description, mapper, redact)
  const isPlaced = error.frames.some(isOfSite)
  const frames = isPlaced ? error.frames : [...placeFrames(), ...error.frames]
  // An error that takes its name from its class has the name that bundling gave the class. The cause comes from the whole
  // message: it must not depend on what a visitor sends, which is masked, or on where the text is cut.
  const cause = causeOf({
    type: error.type,
    message: description.message,
    frames: (side === 'client' ? withoutAsync(frames) : frames).filter(isOfSite).map(placeOf),
    side,
  })
  return { cause, error: { ...error, frames }, isPlaced }
}

// Who waits for the function that fails stands in the stacks of Chrome and Edge only.
function withoutAsync(frames: readonly MappedFrame[]): readonly MappedFrame[] {
  const first = frames.findIndex(({ text }) => text.startsWith(ASYNC))
  const own = first === -1 ? frames : frames.slice(0, first)
  return own.some(isOfSite) ? own : frames
}

const isOfSite = ({ frame }: MappedFrame) => frame?.isSite === true
// `isOfSite` has let through none without.
const placeOf = ({ frame }: MappedFrame) => frame as SourceFrame

function toExamined(description: Description, mapper: SourceMapper, redact: Redactors): ExaminedError {
  const { type, message, stack, ownDigest, cause, errors } = description
  const inner = (one: Description) => toExamined(one, mapper, redact)
  return {
    type: mapper.mapName(type) || type,
    message: shorten(redact.message(message)),
    frames: withoutCallers(framesIn(stack).map(mapper.mapFrame)),
    ...(ownDigest === undefined ? {} : { ownDigest: redact.message(ownDigest) }),
    ...(cause === undefined ? {} : { cause: inner(cause) }),
    ...(errors === undefined ? {} : { errors: errors.map(inner) }),
  }
}

/** Leaves out who has called the site: React, Fastify and Hydrant call everything there is, always in the same way. */
function withoutCallers(frames: readonly MappedFrame[]): readonly MappedFrame[] {
  const last = frames.findLastIndex(isOfSite)
  if (last === -1) return frames
  const caller = frames.findIndex(({ frame }, index) => index > last && frame !== null && isCaller(frame.file))
  return caller === -1 ? frames : frames.slice(0, caller)
}

const MAX_MESSAGE = 2_000

// Keeps the remark at the end that says how long the message was.
function shorten(message: string): string {
  if (message.length <= MAX_MESSAGE) return message
  return message.slice(0, MAX_MESSAGE) + (/… \(\d+ characters\)$/.exec(message)?.[0] ?? '…')
}

export function toLogged(error: ExaminedError, redact: Redactors): LoggedError {
  const { type, message, frames, ownDigest, cause, errors } = error
  return {
    type,
    message,
    stack: [`${type}: ${message}`, ...frames.map(({ text }) => redact.frame(text))].join('\n'),
    ...(ownDigest === undefined ? {} : { digest: ownDigest }),
    ...(cause === undefined ? {} : { cause: toLogged(cause, redact) }),
    ...(errors === undefined ? {} : { errors: errors.map((one) => toLogged(one, redact)) }),
  }
}

/** Of the frames of the site, how many are kept with the code around them. */
const MAX_WITH_CODE = 3

export function toKept(error: ExaminedError, mapper: SourceMapper, redact: Redactors): KeptError {
  const { type, message, frames, cause, errors } = error
  let left = MAX_WITH_CODE
  const stack = frames.flatMap(({ frame }): SourceFrame[] => {
    if (frame === null) return []
    const own = { ...frame, file: redact.frame(frame.file), function: redact.frame(frame.function) }
    const code = own.isSite && left-- > 0 ? mapper.codeAround(frame) : null
    return [code ? { ...own, code } : own]
  })
  return {
    type,
    message,
    stack,
    ...(cause === undefined ? {} : { cause: toKept(cause, mapper, redact) }),
    ...(errors === undefined ? {} : { errors: errors.map((one) => toKept(one, mapper, redact)) }),
  }
}
