import type { Side } from '../../shared/wire/public-error.ts'
import { errorTable } from '../errors/error-table.ts'
import type { SourceFrame } from '../errors/failure-record.ts'
import { innerErrorsOf } from '../errors/inner-errors.ts'
import { wordsIn } from '../redaction/message-words.ts'
import type { Redaction } from '../redaction/request-redaction.ts'
import { type Description, framesIn } from './describe-thrown.ts'
import { redactLine, type SourceError } from './error-output.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { SourceMapper } from './stacks/source-map.ts'
import { ASYNC, type MappedFrame } from './stacks/stack-frame.ts'
import { isCallerFrame, withoutCallers } from './stacks/without-callers.ts'

/** The inputs of a fingerprint besides the error. */
export interface FingerprintSettings {
  mapper: SourceMapper
  side: Side
  /** The option `digestKey`; empty for none. */
  key: string
}

export interface FingerprintedError {
  fingerprint: string
  error: SourceError
  /** True when a frame of the error itself is in the site. */
  isPlaced: boolean
}

/**
 * Maps an error to the source and computes its fingerprint.
 *
 * @param placeFrames Is called if neither the error nor the errors in it have a frame in the site. Its frames are put
 * before those of the error.
 */
export function fingerprintError(
  description: Description,
  redaction: Redaction,
  placeFrames: () => readonly MappedFrame[],
  { mapper, side, key }: FingerprintSettings,
): FingerprintedError {
  const error = toSourceError(description, mapper, redaction)
  const isPlaced = error.frames.some(isInSite)
  const inner = isPlaced ? undefined : innerErrorsOf(error).find(({ frames }) => frames.some(isInSite))
  const frames =
    isPlaced || inner ? error.frames : [...standInsFor(description, placeFrames(), mapper), ...error.frames]
  const placed = inner?.frames ?? frames
  // The fingerprint depends on the whole original message: redaction depends on the visitor's input, and so does the
  // place where the text is cut. The type of an error is the source's name of its class, as bundling renames classes.
  const fingerprint = fingerprintOf({
    type: typeOf(description, mapper),
    message: description.message,
    frames: (side === 'client' ? withoutAsync(placed) : placed).filter(countsForFingerprint).map(sourceFrameOf),
    side,
    key,
  })
  return { fingerprint, error: { ...error, frames }, isPlaced }
}

// Only Chrome and Edge write the frames of the functions that await the one that fails.
function withoutAsync(frames: readonly MappedFrame[]): readonly MappedFrame[] {
  const first = frames.findIndex(({ text }) => text.startsWith(ASYNC))
  const synchronous = first === -1 ? frames : frames.slice(0, first)
  return synchronous.some(isInSite) ? synchronous : frames
}

/**
 * Returns the frames that stand for a stack. Marks the function that returned a promise without `await`: Hydrant itself
 * has awaited the promise.
 */
function standInsFor(
  { type, stack }: Description,
  placed: readonly MappedFrame[],
  { mapFrame }: SourceMapper,
): readonly MappedFrame[] {
  const isReturned = framesIn(stack).some((line) => line.startsWith(ASYNC) && isCallerFrame(mapFrame(line)))
  const frames = withoutCallers(placed, type)
  if (!isReturned) return frames
  return frames.map((mapped) => (mapped.standIn === 'function' ? { ...mapped, standIn: 'promise' } : mapped))
}

const isInSite = ({ frame }: MappedFrame) => frame?.isSite === true
const countsForFingerprint = (mapped: MappedFrame) => isInSite(mapped) && !mapped.isByName
// `isInSite` is true only for mapped frames with a frame.
const sourceFrameOf = ({ frame }: MappedFrame) => frame as SourceFrame

const MAX_NAME = 100

const typeOf = ({ type }: Description, mapper: SourceMapper) => mapper.mapName(type) || type

function toSourceError(description: Description, mapper: SourceMapper, redaction: Redaction): SourceError {
  const { message, stack, code, ownDigest, cause, errors } = description
  const inner = (one: Description) => toSourceError(one, mapper, redaction)
  const type = typeOf(description, mapper)
  // Some libraries put a sentence into the name of an error.
  const className = /^[\w$]+$/.test(type) ? type : ''
  const frames = withoutCallers(framesIn(stack).map(mapper.mapFrame), type)
  return {
    type: redaction.inMessage(type, { maxLength: MAX_NAME, isKnownWord: (word) => word === className }),
    message: redactMessage(message, redaction, () => [
      className,
      ...frames.map((frame) => redactLine(frame, mapper, redaction)),
      ...codeIn(frames, mapper),
    ]),
    frames,
    ...(code === undefined ? {} : { code: redactCode(code, redaction) }),
    ...(ownDigest === undefined ? {} : { ownDigest: redaction.inMessage(ownDigest, { maxLength: MAX_NAME }) }),
    ...(cause === undefined ? {} : { cause: inner(cause) }),
    ...(errors === undefined ? {} : { errors: errors.map(inner) }),
  }
}

// A visitor cannot hide a code of Hydrant from the log by sending it.
function redactCode(code: string, { inMessage }: Redaction): string {
  return Object.hasOwn(errorTable, code) ? code : inMessage(code)
}

/** Returns the lines around the innermost frame in the site. */
function codeIn(frames: readonly MappedFrame[], mapper: SourceMapper): readonly string[] {
  const first = frames.find(isInSite)
  return first ? (mapper.codeAround(sourceFrameOf(first))?.lines ?? []) : []
}

const LENGTH_REMARK = /… (\(\d+ characters\))$/

/** @param code Returns text of the program. Its words stay in the message, as they do not come from a visitor. */
function redactMessage(message: string, { inMessage }: Redaction, code: () => readonly string[]): string {
  let codeWords: ReadonlySet<string> | null = null
  const isKnownWord = (word: string) => {
    codeWords ??= new Set(code().flatMap(wordsIn))
    return codeWords.has(word)
  }
  const redacted = inMessage(message, { isKnownWord })
  // Redaction cuts the message again. The remark with its original length stays at the end.
  const remark = redacted.endsWith('…') ? LENGTH_REMARK.exec(message)?.[1] : undefined
  return remark === undefined ? redacted : `${redacted} ${remark}`
}
