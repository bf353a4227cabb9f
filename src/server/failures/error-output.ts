import type { KeptError, SourceFrame } from '../errors/failure-record.ts'
import type { Redaction } from '../redaction/request-redaction.ts'
import type { SourceError } from './fingerprint-error.ts'
import type { SourceMapper } from './stacks/source-map.ts'

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

/** Converts an error for the log, with redacted frames. */
export function toLoggedError(error: SourceError, redaction: Redaction): LoggedError {
  const { type, message, frames, code, ownDigest, cause, errors } = error
  const lines = frames.map(({ text }) => redactFrame(text, redaction))
  return {
    type,
    message,
    stack: [`${type}: ${message}`, ...lines].join('\n'),
    ...(code === undefined ? {} : { code }),
    ...(ownDigest === undefined ? {} : { digest: ownDigest }),
    ...(cause === undefined ? {} : { cause: toLoggedError(cause, redaction) }),
    ...(errors === undefined ? {} : { errors: errors.map((one) => toLoggedError(one, redaction)) }),
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
      function: redactFrame(frame.function, redaction),
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
