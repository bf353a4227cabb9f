import type { Invalid } from '../wire/boot.ts'
import type { Owned } from '../wire/kept-owner.ts'

/** A form that Hydrant submits without leaving the page. */
export interface SubmittedForm {
  formData: FormData
  /** The URL that the form is sent to. */
  href: string
  enctype: string
  /** Identifies the fields and the URL: equal submissions have equal keys. */
  key: string
  /** The form element. */
  form: object
}

/** Fields that are sent to the action of a page. */
export interface SentFields {
  /** The URL of the page; undefined for the current page. */
  href: string | undefined
  method: string
  formData: FormData
  /** The encoding of the form; undefined for the fields of a script. */
  enctype?: string
  /** The element of the form; undefined for the fields of a script. */
  form?: object
}

/** The reason why a submission has no result. */
export interface SubmissionError {
  /** A sentence for the visitor. */
  message: string
  /** The HTTP status of a failure or a refusal; missing if there was no response. */
  status?: number
  /** The digest of a failure on the server; missing for other errors. */
  digest?: string
}

/** The result of a submission. Without `error` the action has returned. */
export interface SubmissionOutcome {
  data?: unknown
  invalid?: Invalid
  error?: SubmissionError
}

export interface SubmissionEvents {
  /** Called with the share of the body that has been sent, from 0 to 1, if it contains files. */
  progress(share: number): void
  /** Called once: in the task in which React gets the fresh data, or when there will be none. */
  settled(): void
  /** Called before the page is replaced. React commits a transition only together with those that are pending. */
  release(): void
}

/** The functions of the browser's side that are loaded when they are needed. */
export interface BrowserFunctions {
  /**
   * Reads a form that is being submitted. Returns null for a form that the browser or a navigation has to submit, and
   * for one whose URL is not `href`.
   */
  readForm(event: object, href: string | undefined): SubmittedForm | null
  /**
   * Sends fields. `outcome` resolves as soon as the action has ended, and `settled` when the loads have run again.
   * Call `refused` when the component gets a form that was not accepted: this moves the focus, and informs screen
   * readers.
   */
  submit(
    fields: SentFields,
    events: SubmissionEvents,
  ): { outcome: Promise<SubmissionOutcome>; settled: Promise<void>; abort(): void; refused(invalid: Invalid): void }
  /** Fetches a page in advance. Resolves when the page has been fetched, or cannot be fetched in advance. */
  prefetch(url: string | URL): Promise<void>
  /** Runs the loads of the current page and its layouts again. */
  refresh(): Promise<void>
}

interface Browser {
  /**
   * Set in the browser before React commits the page. It resolves when the page is interactive, with the function that loads
   * the others.
   */
  load?: Promise<() => Promise<BrowserFunctions>>
  loaded?: BrowserFunctions
  /** Keeps the state of the page under a key. Missing without `useRestoredState`. */
  keepState?(key: Owned['key']): void
}

export const browser: Browser = {}
