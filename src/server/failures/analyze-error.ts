import type { Side } from '../../shared/page-types.ts'
import type { KeptError, SourceFrame } from '../errors/failure-record.ts'
import type { Redaction } from '../redaction/hidden.ts'
import { wordsIn } from '../redaction/message-words.ts'
import { type Description, framesIn } from './describe-thrown.ts'
import { fingerprintOf } from './digest.ts'
import { isCaller } from './stacks/error-stack.ts'
import type { SourceMapper } from './stacks/source-map.ts'
import { ASYNC, type MappedFrame } from './stacks/stack-frame.ts'

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

/** What names a failure besides what it is. */
export interface Naming {
  side: Side
  /** Of the option `digestKey`; empty for none. */
  key: string
}

export interface Examined {
  /** The first half of the digest: names the failure. */
  fingerprint: string
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
export function analyzeError(
  description: Description,
  mapper: SourceMapper,
  hidden: Redaction,
  placeFrames: () => readonly MappedFrame[],
  { side, key }: Naming,
): Examined {
  const error = toExamined(description, mapper, hidden)
  const isPlaced = error.frames.some(isOfSite)
  const frames = isPlaced ? error.frames : [...placeFrames(), ...error.frames]
  // An error that takes its name from its class has the name that bundling gave the class. The fingerprint is made of
  // the whole message: it must not depend on the visitor's input, which is masked, or on where the text is cut.
  const fingerprint = fingerprintOf({
    type: typeOf(description, mapper),
    message: description.message,
    frames: (side === 'client' ? withoutAsync(frames) : frames).filter(countsForFingerprint).map(placeOf),
    side,
    key,
  })
  return { fingerprint, error: { ...error, frames }, isPlaced }
}

// Who waits for the function that fails stands in the stacks of Chrome and Edge only.
function withoutAsync(frames: readonly MappedFrame[]): readonly MappedFrame[] {
  const first = frames.findIndex(({ text }) => text.startsWith(ASYNC))
  const own = first === -1 ? frames : frames.slice(0, first)
  return own.some(isOfSite) ? own : frames
}

const isOfSite = ({ frame }: MappedFrame) => frame?.isSite === true
const countsForFingerprint = (mapped: MappedFrame) => isOfSite(mapped) && !mapped.isByName
// `isOfSite` has let through none without.
const placeOf = ({ frame }: MappedFrame) => frame as SourceFrame

const MAX_NAME = 100

const typeOf = ({ type }: Description, mapper: SourceMapper) => mapper.mapName(type) || type

function toExamined(description: Description, mapper: SourceMapper, hidden: Redaction): ExaminedError {
  const { message, stack, ownDigest, cause, errors } = description
  const inner = (one: Description) => toExamined(one, mapper, hidden)
  const type = typeOf(description, mapper)
  // Some put a text there.
  const className = /^[\w$]+$/.test(type) ? type : ''
  const frames = withoutCallers(framesIn(stack).map(mapper.mapFrame))
  return {
    type: hidden.inMessage(type, { maxLength: MAX_NAME, isKnownWord: (word) => word === className }),
    message: redactMessage(message, hidden, () => [
      className,
      ...frames.map(({ text }) => text),
      ...codeIn(frames, mapper),
    ]),
    frames,
    ...(ownDigest === undefined ? {} : { ownDigest: hidden.inMessage(ownDigest, { maxLength: MAX_NAME }) }),
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

/** The lines around the first place in the site. */
function codeIn(frames: readonly MappedFrame[], mapper: SourceMapper): readonly string[] {
  const first = frames.find(isOfSite)
  return first ? (mapper.codeAround(placeOf(first))?.lines ?? []) : []
}

const REMARK = /… (\(\d+ characters\))$/

/** `code` is what is known of the code: its words stay, as they are no visitor's. */
function redactMessage(message: string, { inMessage }: Redaction, code: () => readonly string[]): string {
  let known: ReadonlySet<string> | null = null
  const isKnownWord = (word: string) => {
    known ??= new Set(code().flatMap(wordsIn))
    return known.has(word)
  }
  const shown = inMessage(message, { isKnownWord })
  // How long the message was stays at its end.
  const remark = shown.endsWith('…') ? REMARK.exec(message)?.[1] : undefined
  return remark === undefined ? shown : `${shown} ${remark}`
}

const MAX_FRAME = 500

function redactFrame(text: string, { inPlace }: Redaction): string {
  return inPlace(text, { maxLength: MAX_FRAME })
}

export function toLogged(error: ExaminedError, hidden: Redaction): LoggedError {
  const { type, message, frames, ownDigest, cause, errors } = error
  const lines = frames.map(({ text }) => redactFrame(text, hidden))
  return {
    type,
    message,
    stack: [`${type}: ${message}`, ...lines].join('\n'),
    ...(ownDigest === undefined ? {} : { digest: ownDigest }),
    ...(cause === undefined ? {} : { cause: toLogged(cause, hidden) }),
    ...(errors === undefined ? {} : { errors: errors.map((one) => toLogged(one, hidden)) }),
  }
}

/** Of the frames of the site, how many are kept with the code around them. */
const MAX_WITH_CODE = 3

export function toKept(error: ExaminedError, mapper: SourceMapper, hidden: Redaction): KeptError {
  const { type, message, frames, cause, errors } = error
  let left = MAX_WITH_CODE
  const stack = frames.flatMap(({ frame }): SourceFrame[] => {
    if (frame === null) return []
    const own = { ...frame, file: redactFrame(frame.file, hidden), function: redactFrame(frame.function, hidden) }
    const code = own.isSite && left-- > 0 ? mapper.codeAround(frame) : null
    return [code ? { ...own, code } : own]
  })
  return {
    type,
    message,
    stack,
    ...(cause === undefined ? {} : { cause: toKept(cause, mapper, hidden) }),
    ...(errors === undefined ? {} : { errors: errors.map((one) => toKept(one, mapper, hidden)) }),
  }
}
