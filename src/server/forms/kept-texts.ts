import type { HttpError } from '../thrown/http-error.ts'
import { createTooLarge, type FormLimits, type LimitName } from './limits.ts'

/** A form that exceeds a limit and was read nevertheless. It has no files. */
export interface FormRefusal {
  /** The first limit that the form exceeds. */
  error: HttpError
  /** The names of the texts that were cut off. */
  cutNames: readonly string[]
  /** Whether the form lacks fields. */
  isIncomplete: boolean
}

/** A form that has been read. */
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

  /** Counts a field without a text. */
  countField() {
    if (++this.#fieldCount > this.#limits.maxFields) this.refuse('forms.maxFields')
  }

  /** Counts bytes of texts. */
  countBytes(bytes: number) {
    this.#bytes += bytes
    if (this.#bytes > this.#limits.bodyLimit) this.refuse('bodyLimit')
  }

  /**
   * Returns what is kept of a field that has been counted; null for nothing.
   *
   * @param isCut Whether the end of the text is already missing.
   */
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
