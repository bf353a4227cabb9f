import {
  ACTED_HEADER,
  ACTED_WITH_COOKIE,
  type Acted,
  BUILD_HEADER,
  RESULT_HEADER,
} from '../../shared/wire/navigation-protocol.ts'
import type { App } from '../app.tsx'
import { isInSite, isOwn, markNavigation } from '../fetch-page.ts'
import { suspectVisitor } from '../kept-text.ts'
import { MAX_REDIRECTS } from '../navigation/page-navigation.ts'
import { type FetchResult, readPage } from '../read-page.ts'

/** Fields for the action of a page. */
export interface Fields {
  url: URL
  method: string
  formData: FormData
  /** The encoding of the form; undefined for the fields of a script. */
  enctype: string | undefined
}

export interface CallOptions {
  /** See `RESULT_HEADER`. */
  result?: 'only' | 'here' | undefined
  signal?: AbortSignal
  /** Called as soon as the action has returned, with the status of the response. */
  onActed(acted: Acted, status: number): void
  /** Called with the share of the body that has been sent, if it contains files. */
  onProgress?(share: number): void
}

/**
 * Sends fields. If an action redirects with the status 307 or 308, sends the fields to the new URL, as a browser does;
 * `fields.url` is then the last URL. Rejects if it is unknown whether an action has run.
 */
export async function callAction(
  fields: Fields,
  options: CallOptions,
  app: App,
  isOurs: (url: URL) => boolean,
): Promise<FetchResult> {
  for (let count = 0; ; count++) {
    const result = await callOnce(fields, options, app)
    if (result.kind !== 'redirect' || !result.isSentOn || count === MAX_REDIRECTS) return result
    fields.url = new URL(result.to, fields.url)
    if (!isOurs(fields.url)) return { kind: 'load' }
  }
}

async function callOnce(
  { url, method, formData, enctype }: Fields,
  { result, signal, onActed, onProgress }: CallOptions,
  app: App,
): Promise<FetchResult> {
  if (!isInSite(url)) return { kind: 'load' }
  const init = {
    method,
    body: bodyOf(formData, enctype),
    headers: { [BUILD_HEADER]: app.boot.build, ...(result && { [RESULT_HEADER]: result }) },
    signal: signal ?? null,
  }
  const to = markNavigation(url)
  // `fetch` does not report how much of the body has been sent.
  const isUpload = onProgress && init.body instanceof FormData && hasFiles(formData)
  let sent: Promise<Response>
  try {
    sent = isUpload ? sendWithProgress(to, init, onProgress) : fetch(to, init)
  } catch (error) {
    // Another script has replaced the function, which never throws itself. Nothing has been sent.
    reportError(error)
    return { kind: 'load' }
  }
  const response = await sent
  // A form must not be sent twice, so its redirects are followed at once.
  if (response.redirected) return { kind: 'redirect', to: response.url }
  const hasActed = response.headers.has(ACTED_HEADER)
  if (!isOwn(response)) {
    if (hasActed) return { kind: 'done' }
    // A proxy or another server responded, and may have done anything.
    throw new Error('The response did not come from this site; the form may or may not have been received.')
  }
  const { status } = response
  try {
    const read = { currentData: [], version: 0, signal, onActed: (acted: Acted) => onActed(acted, status) }
    const page = await readPage(response, read)
    if (page.kind !== 'redirect') return page
    if (response.headers.get(ACTED_HEADER) === ACTED_WITH_COOKIE) suspectVisitor()
    return { ...page, isRefused: !hasActed }
  } catch (error) {
    // The action has run: its form must not be sent again only because the result cannot be shown.
    if (hasActed) return { kind: 'done' }
    throw error
  }
}

export interface UploadInit {
  method: string
  body: FormData | URLSearchParams
  headers: Record<string, string>
  signal: AbortSignal | null
}

/**
 * Sends a request as `fetch` does, and calls `onProgress` with the share of the body that has been sent, from 0 to 1.
 * Resolves when the response is complete. Uses XMLHttpRequest, because no browser reports the progress of `fetch`.
 */
function sendWithProgress(
  url: URL,
  { method, body, headers, signal }: UploadInit,
  onProgress: (share: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    request.open(method, url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.responseType = 'arraybuffer'
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    // A response may begin before the body has been sent, for example with 413.
    request.upload.onload = () => onProgress(1)
    request.onload = () => resolve(responseOf(request, url))
    request.onerror = () => reject(new TypeError('The upload failed.'))
    request.onabort = () => reject(new DOMException('The upload was aborted.', 'AbortError'))
    request.onloadend = () => signal?.removeEventListener('abort', abort)
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) return reject(signal.reason)
    onProgress(0)
    request.send(body)
  })
}

function responseOf(request: XMLHttpRequest, { href }: URL): Response {
  const lines = request.getAllResponseHeaders().trim().split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  const { response, responseURL, status } = request
  const hasBody = status !== 204 && status !== 304
  const result = new Response(hasBody ? (response as ArrayBuffer) : null, { status, headers })
  // A `Response` that a script creates has no URL.
  Object.defineProperties(result, {
    url: { value: responseURL },
    redirected: { value: responseURL !== href.replace(/#.*/, '') },
  })
  return result
}

/** A form that is being sent. */
export interface Submission extends Fields {
  form: HTMLFormElement
  /** Returns false if the visitor has gone to another page since. */
  counts(): boolean
  /** Stops receiving the deferred data of the page with which the action responds. */
  stop(): void
  /** How many actions had changed data when the form was sent, with this one if it has changed data. */
  version: number
}

/** The place of a submission in the order. */
export type Turn = ReturnType<ReturnType<typeof createSubmissionOrder>>

/**
 * Returns the function that begins a submission. Results take effect in the order in which their submissions began:
 *
 * - A result is not shown if a newer one has been shown, or if the visitor has gone to another page since.
 * - A result leads to another URL only if no newer form has been sent.
 *
 * @param isCurrent Returns whether the current page has a URL.
 */
export function createSubmissionOrder(isCurrent: (url: URL) => boolean) {
  const newestOf = new WeakMap<HTMLFormElement, number>()
  let newest = 0
  /** The number of the newest submission whose result has taken effect. */
  let shown = 0

  return (submission: Submission) => {
    const { form, counts } = submission
    const number = ++newest
    newestOf.set(form, number)
    const isNewest = () => counts() && number === newest
    return {
      isNewest,
      isNewestOfForm: () => newestOf.get(form) === number,
      // A redirect of the action changes the URL of the submission.
      canShow: () => number >= shown && (isNewest() || (counts() && isCurrent(submission.url))),
      /** Records that the result takes effect. */
      takeEffect() {
        shown = number
      },
    }
  }
}

// The body of a submitted form, as the browser would write it.

export const MULTIPART = 'multipart/form-data'

/** Returns the body of the request. Fields of a script have no `enctype`. */
function bodyOf(formData: FormData, enctype?: string): FormData | URLSearchParams {
  if (enctype === MULTIPART) return formData
  // Fields of a script are multipart only if there are files.
  if (enctype === undefined && hasFiles(formData)) return formData
  return new URLSearchParams(
    [...formData].map(([name, value]) => [name, enctype === undefined ? String(value) : withLineBreaks(value)]),
  )
}

function hasFiles(formData: FormData): boolean {
  return [...formData].some(([, value]) => typeof value !== 'string')
}

// Browsers send the line breaks of forms as CRLF. They do that themselves for a `FormData`.
function withLineBreaks(value: FormDataEntryValue): string {
  return (typeof value === 'string' ? value : value.name).replace(/\r\n?|\n/g, '\r\n')
}

/** Returns the same text for the same fields to the same URL. */
export function submissionKey(url: URL, formData: FormData): string {
  return JSON.stringify([url.href, [...formData].map(([name, value]) => [name, describeValue(value)])])
}

function describeValue(value: FormDataEntryValue): unknown {
  if (typeof value === 'string') return value
  const { name, size, lastModified } = value
  // A field without a chosen file has an empty file with the time at which the form is read.
  return name === '' && size === 0 ? [] : [name, size, lastModified]
}
