import type { Readable } from 'node:stream'
import type { preParsingHookHandler } from 'fastify'
import { HttpError } from '../errors/http-error.ts'
import type { Options } from '../options/options.ts'
import { isPlainObject } from '../util/unknown-values.ts'

export type FormLimits = Options['forms'] & Pick<Options, 'bodyLimit'>

/** An option that limits forms. */
type LimitName = 'bodyLimit' | `forms.${keyof Options['forms']}`

/** The refusal of a form that exceeds a limit. Its message is for the visitor, so it does not name the option. */
class ExceededLimit extends HttpError {
  readonly option: LimitName

  constructor(statusCode: number, message: string, option: LimitName) {
    super(statusCode, message)
    this.option = option
  }
}

/** Creates the error for a form beyond a limit: 413, or 429 if the files of other requests take the space. */
export function createTooLarge(option: LimitName, limits: FormLimits): HttpError {
  const { bodyLimit, maxFields, maxFiles, maxFileBytes } = limits
  switch (option) {
    case 'bodyLimit':
      return new ExceededLimit(413, `The data that you sent is larger than ${bodyLimit} bytes.`, option)
    case 'forms.maxFields':
      return new ExceededLimit(413, `The form has more than ${maxFields} fields.`, option)
    case 'forms.maxFiles':
      return new ExceededLimit(413, `The form has more than ${maxFiles} files.`, option)
    case 'forms.maxFileBytes':
      return new ExceededLimit(413, `A file of the form is larger than ${maxFileBytes} bytes.`, option)
    case 'forms.maxUploadBytes':
      return new ExceededLimit(429, 'Too many files are being uploaded. Try again later.', option)
  }
}

/** Returns the end of a log line about a refusal: the option whose limit was exceeded; empty for other refusals. */
export function nameOption(refusal: unknown): string {
  return refusal instanceof ExceededLimit ? ` ("${refusal.option}")` : ''
}

/** Creates the error for a malformed form, with the status 400. */
export function createMalformed(cause?: unknown): HttpError {
  return new HttpError(400, 'The form is malformed.', { cause })
}

/** A form that exceeds a limit and was read nevertheless. It has no files. */
export interface FormRefusal {
  /** The first limit that the form exceeds. */
  error: HttpError
  /** The names of the texts that were cut off. */
  cutNames: readonly string[]
  /** Whether the form lacks fields. */
  isIncomplete: boolean
}

export interface ReadForm {
  form: FormData
  /** Why the form is not accepted, if it exceeds a limit and was read nevertheless. */
  refusal: FormRefusal | null
}

/** How many times the fields and the bytes of an accepted form are kept of a form that exceeds a limit. */
export const SURPLUS = 2

/**
 * Limits the texts of a form in memory. A form that exceeds a limit is refused, but its page shows the texts again. So
 * each text is kept up to `bodyLimit`, and all texts up to twice the limits: one text that is too long does not take the
 * place of the texts after it.
 */
export class KeptTexts {
  readonly #limits: FormLimits
  readonly #refuse: (error: HttpError) => void
  readonly #cutNames = new Set<string>()
  #error: HttpError | null = null
  #fieldCount = 0
  #bytes = 0
  #keptBytes = 0
  #isIncomplete = false

  /** @param refuse Called when the form exceeds a limit for the first time. */
  constructor(limits: FormLimits, refuse: (error: HttpError) => void) {
    this.#limits = limits
    this.#refuse = refuse
  }

  /** Whether further fields are no longer kept. */
  get isFull(): boolean {
    return this.#fieldCount >= this.#limits.maxFields * SURPLUS
  }

  /** The refusal of the form; null if it exceeds no limit. */
  get refusal(): FormRefusal | null {
    if (this.#error === null) return null
    return { error: this.#error, cutNames: [...this.#cutNames], isIncomplete: this.#isIncomplete }
  }

  get isRefused(): boolean {
    return this.#error !== null
  }

  /** Refuses the form because of a limit, unless it has been refused. */
  refuse(limit: LimitName) {
    if (this.#error !== null) return
    this.#error = createTooLarge(limit, this.#limits)
    this.#refuse(this.#error)
  }

  countField() {
    if (++this.#fieldCount > this.#limits.maxFields) this.refuse('forms.maxFields')
  }

  countBytes(bytes: number) {
    this.#bytes += bytes
    if (this.#bytes > this.#limits.bodyLimit) this.refuse('bodyLimit')
  }

  /** Returns what is kept of a counted field; null for nothing. `isCut`: its end is already missing. */
  keep(name: string, value: string, isCut: boolean): string | null {
    const { bodyLimit, maxFields } = this.#limits
    if (isCut) this.refuse('bodyLimit')
    const nameBytes = Buffer.byteLength(name)
    const room = Math.min(bodyLimit, bodyLimit * SURPLUS - this.#keptBytes - nameBytes)
    if (this.#fieldCount > maxFields * SURPLUS || room <= 0) {
      this.#isIncomplete = true
      return null
    }
    const kept = isCut || Buffer.byteLength(value) > room ? cut(value, room) : value
    if (isCut || kept !== value) this.#cutNames.add(name)
    this.#keptBytes += nameBytes + Buffer.byteLength(kept)
    return kept
  }

  /** Notes that fields are not kept, because there are too many. */
  dropRest() {
    this.refuse('forms.maxFields')
    this.#isIncomplete = true
  }
}

/** Returns the beginning of a text, without an incomplete last character. */
function cut(text: string, bytes: number): string {
  return Buffer.from(text)
    .toString('utf8', 0, bytes)
    .replace(/\uFFFD$/, '')
}

/** Calls `onCut` with an HttpError if a body ends before it is complete. */
export function whenCutShort(payload: Readable, onCut: (error: Error) => void) {
  const refuse = () => onCut(createMalformed(new Error('The request ended too early.')))
  const check = () => {
    if (!payload.readableEnded) refuse()
  }
  if (payload.destroyed) check()
  else payload.once('error', refuse).once('close', check)
}

/** The most bytes around the content of each part of a multipart body: its headers and the boundary. */
const PART_BYTES = 1_024

/**
 * Calls `onTooLarge` with each chunk after a refused body has become larger than the texts and files of a form may be
 * together. A text is counted when it is complete. So a body that is larger than any form is refused here.
 */
export function limitTotal(
  payload: Readable,
  limits: FormLimits,
  texts: KeptTexts,
  onTooLarge: (error: HttpError) => void,
) {
  const { bodyLimit, maxFields, maxFiles, maxFileBytes } = limits
  const contentBytes = bodyLimit + maxFiles * maxFileBytes
  const mostBytes = contentBytes + (maxFields + maxFiles) * PART_BYTES
  let total = 0
  payload.on('data', (chunk: Buffer | string) => {
    total += chunk.length
    if (total > mostBytes) texts.refuse('bodyLimit')
    if (total > contentBytes && texts.refusal) onTooLarge(texts.refusal.error)
  })
}

const UNSUPPORTED = 415
/** Real data is a few levels deep. The functions that walk through data are recursive. */
const MAX_DEPTH = 500

/** Refuses compressed bodies with 415: they could expand to gigabytes. Those that a plugin has expanded pass. */
export const refuseEncoded: preParsingHookHandler = (request, reply, payload, done) => {
  const encoding = request.headers['content-encoding']
  const isExpanded = payload !== request.raw
  if (encoding === undefined || isExpanded || /^(?:identity)?$/i.test(encoding.trim())) return done(null, payload)
  reply.header('accept-encoding', 'identity')
  done(new HttpError(UNSUPPORTED, 'The body is compressed; send it uncompressed.'))
}

/** Throws an HttpError with 400 for too deep a body: Node.js may end the process when recursion runs out of stack. */
export function requireShallow(body: unknown) {
  const seen = new Set<object>()
  let level = objectsIn([body])
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new HttpError(400, `The body is nested deeper than ${MAX_DEPTH} levels.`)
    const inner: object[] = []
    for (const value of level) {
      if (seen.has(value)) continue
      const parts = partsOf(value)
      const objects = objectsIn(parts)
      // A parser of the site may return the same object in many places. A short one without objects is read again:
      // bodies of JSON have many, and remembering them would take most of the time.
      if (objects.length > 0 || parts.length > SHORT) seen.add(value)
      for (const one of objects) inner.push(one)
    }
    level = inner
  }
}

/** How many values an object without other objects may have to be read again wherever it occurs. */
const SHORT = 8
const NOTHING: readonly never[] = []

function partsOf(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value
  return isPlainObject(value) ? Object.values(value) : NOTHING
}

function objectsIn(values: readonly unknown[]): readonly object[] {
  // Most lists have no objects.
  return values.some(isObject) ? values.filter(isObject) : NOTHING
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
