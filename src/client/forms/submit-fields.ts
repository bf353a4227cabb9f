// Sends the fields of `useSubmission`. The result belongs to the component, and the current page stays.

import type { SentFields, SubmissionEvents, SubmissionOutcome } from '../../shared/tree/browser.ts'
import { NOT_SENT } from '../../shared/tree/browser-functions.ts'
import type { Invalid } from '../../shared/wire/boot.ts'
import { type PublicError, publicMessage } from '../../shared/wire/public-error.ts'
import { watchSent } from '../field-defaults.ts'
import { keepTyped } from '../kept-text.ts'
import { announceInvalid, focusInvalid } from '../notice.ts'
import type { FetchResult } from '../read-page.ts'
import type { Refresh } from '../result-view.ts'
import { callAction, type Fields } from './call-action.ts'
import { type SubmissionContext, sendNatively, sentenceOf } from './submit-form.ts'

/** The result, and the steps that follow: whether to run the loads again, and the URL to go to. */
interface Ending {
  outcome: SubmissionOutcome
  /** The action may have changed data. */
  isStale?: boolean
  to?: URL
}

/** Returns the function that sends fields to an action. Calls `releases` before the page is replaced. */
export function createFieldSender(
  { app, state, begin, view, expire }: SubmissionContext,
  refresh: Refresh,
  releases: Set<() => void>,
) {
  return ({ href, method, formData, enctype, form }: SentFields, { progress, settled, release }: SubmissionEvents) => {
    const controller = new AbortController()
    const before = state.departures
    const url = new URL(href ?? state.urlOnScreen ?? location.href, location.href)
    // The URL in the address bar has the fragment of the last link.
    if (href === undefined) url.hash = ''
    const fields: Fields = { url, method, formData, enctype }
    releases.add(release)
    // What was said about an earlier attempt is no longer true.
    view.announce('')
    const ending = send(fields, form, controller.signal, progress).finally(() => releases.delete(release))
    return {
      outcome: ending.then(({ outcome }) => outcome),
      settled: ending.then((ended) => settle(ended, before, settled)),
      abort: () => controller.abort(),
      // In the next task, the component shows the messages, which the field refers to.
      refused: (invalid: Invalid) =>
        setTimeout(() => form instanceof HTMLFormElement && showInvalid(invalid, form, view.announce)),
    }
  }

  async function send(
    fields: Fields,
    form: unknown,
    signal: AbortSignal,
    onProgress: (share: number) => void,
  ): Promise<Ending> {
    const wasOffline = !navigator.onLine
    const accept = watchSent(form)
    let returned: Ending | undefined
    const options = { result: 'only', signal, onProgress } as const
    try {
      const result = await callAction(
        fields,
        {
          ...options,
          onActed({ actionData, invalid, revalidate }, status) {
            if (status < 400) accept()
            returned = { outcome: { data: actionData, ...(invalid && { invalid }) }, isStale: revalidate !== false }
          },
        },
        app,
        view.isOurs,
      )
      if (result.kind === 'redirect' && !result.isRefused) accept()
      else if (result.kind === 'redirect' && form instanceof HTMLFormElement) keepTyped(form)
      return returned ?? endingOf(result, fields)
    } catch (error) {
      // An action that has received the fields may have run.
      expire()
      if (signal.aborted) return { outcome: {} }
      console.error(error)
      return {
        outcome: { error: { message: sentenceOf(fields.enctype === undefined ? 'This' : 'The form', wasOffline) } },
      }
    }
  }

  async function settle({ isStale, to }: Ending, before: number, settled: () => void): Promise<void> {
    if (isStale) expire()
    if (to && before === state.departures && !view.isCurrent(to)) {
      const end = begin({ state: 'loading', url: to })
      void view
        .follow(to, () => before === state.departures)
        .finally(() => {
          end()
          settled()
        })
    } else if (isStale) await refresh(settled).catch(() => {})
    else settled()
  }
}

/** Moves the focus to the first field with a message, and announces that the form was not sent. */
function showInvalid(invalid: Invalid, form: HTMLFormElement, announce: (text: string) => void) {
  const { activeElement } = document
  const isElsewhere = activeElement !== document.body && (activeElement as HTMLInputElement | null)?.form !== form
  // A visitor who works at another part of the page stays there.
  if (isElsewhere) announceInvalid(invalid, announce)
  else focusInvalid(invalid, form, announce)
}

function endingOf(result: FetchResult, fields: Fields): Ending {
  switch (result.kind) {
    case 'redirect':
      return { outcome: {}, isStale: true, to: new URL(result.to, fields.url) }
    case 'error':
      return { outcome: { error: describeError(result.error) }, isStale: true }
    case 'load':
      // No action has been called. A browser sends no other method than POST.
      if (fields.enctype === undefined || fields.method !== 'POST') return { outcome: { error: { message: NOT_SENT } } }
      sendNatively(fields.url.href, fields.enctype || 'application/x-www-form-urlencoded', fields.formData)
      return { outcome: {} }
    default:
      return { outcome: {}, isStale: true }
  }
}

function describeError(error: PublicError) {
  const message = publicMessage(error, location.hostname)
  if (error.kind === 'refusal') return { message, status: error.status }
  return error.side === 'server' ? { message, status: error.status, digest: error.digest } : { message }
}
