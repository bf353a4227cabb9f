import { ACTED_HEADER, type Acted, BUILD_HEADER, RESULT_HEADER } from '../../shared/wire/navigation-protocol.ts'
import type { App } from '../app-state.ts'
import { isInSite, isOwn, markNavigation } from '../fetch-page.ts'
import { MAX_REDIRECTS } from '../navigation/page-navigation.ts'
import { type FetchResult, readPage } from '../read-page.ts'
import { bodyOf, hasFiles } from './form-body.ts'
import { sendWithProgress } from './send-with-progress.ts'

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
    return page.kind === 'redirect' ? { ...page, isRefused: !hasActed } : page
  } catch (error) {
    // The action has run: its form must not be sent again only because the result cannot be shown.
    if (hasActed) return { kind: 'done' }
    throw error
  }
}
