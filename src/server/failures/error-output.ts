import type { KeptError, SourceFrame } from '../errors/failure-record.ts'
import { wordsIn } from '../redaction/message-words.ts'
import type { Redaction } from '../redaction/request-redaction.ts'
import type { SourceMapper } from './stacks/source-map.ts'
import type { MappedFrame } from './stacks/stack-frame.ts'

/** An error whose frames are mapped to the source. Its texts are redacted, its frames are not. */
export interface SourceError {
  type: string
  message: string
  frames: readonly MappedFrame[]
  /** The property `code` of the error. */
  code?: string
  /** The property `digest` of the error, which is never trusted. */
  ownDigest?: string
  cause?: SourceError
  errors?: SourceError[]
}

/** An error as a log line shows it. */
export interface LoggedError {
  type: string
  message: string
  stack: string
  code?: string
  digest?: string
  cause?: LoggedError
  errors?: LoggedError[]
}

const MAX_FRAME = 500

function redactFrame(text: string, { inPlace }: Redaction): string {
  return inPlace(text, { maxLength: MAX_FRAME })
}

/** Redacts the name of a function. Its words stay if the code around the frame has them. */
function redactName(frame: SourceFrame, mapper: SourceMapper, { inName, mayHold }: Redaction): string {
  if (!mayHold(frame.function)) return frame.function
  let codeWords: ReadonlySet<string> | null = null
  return inName(frame.function, (word) => {
    codeWords ??= new Set(wordsIn((mapper.codeAround(frame)?.lines ?? []).join('\n')))
    return codeWords.has(word)
  })
}

/** Redacts a line of a stack. */
export function redactLine({ text, frame }: MappedFrame, mapper: SourceMapper, redaction: Redaction): string {
  if (frame === null)
    return redactFrame(
      redaction.inName(text, () => false),
      redaction,
    )
  const name = redactName(frame, mapper, redaction)
  return redactFrame(name === frame.function ? text : text.replace(frame.function, () => name), redaction)
}

/** Converts an error for the log, with redacted frames. */
export function toLoggedError(error: SourceError, mapper: SourceMapper, redaction: Redaction): LoggedError {
  const { type, message, frames, code, ownDigest, cause, errors } = error
  const lines = frames.map((frame) => redactLine(frame, mapper, redaction))
  return {
    type,
    message,
    stack: [`${type}: ${message}`, ...lines].join('\n'),
    ...(code === undefined ? {} : { code }),
    ...(ownDigest === undefined ? {} : { digest: ownDigest }),
    ...(cause === undefined ? {} : { cause: toLoggedError(cause, mapper, redaction) }),
    ...(errors === undefined ? {} : { errors: errors.map((one) => toLoggedError(one, mapper, redaction)) }),
  }
}

/** Number of frames in the site that are kept with the code around them. */
const MAX_WITH_CODE = 3

/** Converts an error for the ledger, with redacted frames and the code around the innermost frames in the site. */
export function toKeptError(error: SourceError, mapper: SourceMapper, redaction: Redaction): KeptError {
  const { type, message, frames, cause, errors } = error
  let left = MAX_WITH_CODE
  const stack = frames.flatMap(({ frame, standIn }): SourceFrame[] => {
    if (frame === null) return []
    const code = frame.isSite && left-- > 0 ? mapper.codeAround(frame) : null
    const redacted = {
      ...frame,
      file: redactFrame(frame.file, redaction),
      function: redactFrame(redactName(frame, mapper, redaction), redaction),
      ...(standIn === undefined ? {} : { standIn }),
    }
    return [code ? { ...redacted, code } : redacted]
  })
  return {
    type,
    message,
    stack,
    ...(cause === undefined ? {} : { cause: toKeptError(cause, mapper, redaction) }),
    ...(errors === undefined ? {} : { errors: errors.map((one) => toKeptError(one, mapper, redaction)) }),
  }
}
