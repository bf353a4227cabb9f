import type { App } from './app-state.ts'
import { type FetchResult, fetchPage } from './fetch-page.ts'
import { bodyOf } from './form-body.ts'
import { MAX_REDIRECTS } from './page-navigation.ts'

/** Fields that are being sent. */
export interface Submission {
  url: URL
  method: string
  formData: FormData
  /** Undefined for the fields of a script, like `enctype`. */
  form: HTMLFormElement | undefined
  enctype: string | undefined
  /** Returns false when the visitor has left for another page since. */
  counts(): boolean
}

/**
 * Sends fields, and sends them again to where an action redirects them, as a browser does with the status 307. Then the
 * submission has the last URL.
 *
 * @param onSent Called after each response.
 */
export async function submit(
  submission: Submission,
  app: App,
  isOurs: (url: URL) => boolean,
  onSent: () => void,
): Promise<FetchResult> {
  const { method, formData, enctype } = submission
  const body = bodyOf(formData, enctype)
  for (let count = 0; ; count++) {
    const result = await fetchPage(submission.url, { method, body }, app).finally(onSent)
    if (result.kind !== 'redirect' || !result.isSentOn || count === MAX_REDIRECTS) return result
    submission.url = new URL(result.to, submission.url)
    if (!isOurs(submission.url)) return { kind: 'load' }
  }
}
