import { type FormEvent, startTransition, use, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import { type HrefArguments, type HrefOptions, href } from '../href.ts'
import type { ActionName, ActionResult, ActionRoute } from '../routes.ts'
import type { Invalid } from '../wire/boot.ts'
import { browser, type SentFields, type SubmissionOutcome } from './browser.ts'
import { loadBrowserFunctions, NOT_SENT } from './browser-functions.ts'
import type { SubmitBody } from './browser-state.ts'
import { contextOf } from './page-values.ts'
import { type Address, PlatformContext } from './platform.ts'
import { createSubmissionState, NO_RESULT, NOTHING, resultOf, type SubmissionResult } from './submission-state.ts'

/** Options of `submit`. */
export interface SubmitOptions {
  /** The HTTP method (`'POST'`). */
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
}

/** What `useSubmission` returns. */
export interface Submission<Data> extends SubmissionResult<Data> {
  /**
   * The props of a form that sends to the action: `<form {...like.form}>`. Without JavaScript, the form works as
   * usual. Add `encType="multipart/form-data"` for files. If you set `onSubmit` yourself, call this `onSubmit` in
   * your handler.
   */
  form: { method: 'post'; action?: string; onSubmit(event: FormEvent<HTMLFormElement>): void }
  /**
   * Sends fields to the action without a form. Resolves with the result of this submission when the loads of the page
   * have run again. In the browser it never rejects: the result has an `error`. Call it in event handlers and
   * effects. On the server, and in a test without `answerSubmissions`, it rejects.
   */
  submit(body: SubmitBody, options?: SubmitOptions): Promise<SubmissionResult<Data>>
  /** Whether the newest submission has no result yet. */
  isPending: boolean
  /**
   * The fields of the newest submission, from its start until the page shows the fresh data, or until it fails;
   * otherwise `undefined`. Use it to show a change before the server has responded.
   */
  formData: FormData | undefined
  /** The share of the body that has been sent, from 0 to 1, if it contains files; otherwise `undefined`. */
  progress: number | undefined
  /** Forgets the result. Results of pending submissions are not shown either. */
  reset(): void
  /** Stops sending. An action that has received the fields may run nevertheless. */
  abort(): void
}

/**
 * Returns the state of submissions to the action of a page, and the functions that submit without leaving the current
 * page: `const like = useSubmission('/products/[id]', { id })`. Each `useSubmission` has its own state, and several
 * can run at the same time. After a submission, the loads of the current page and its layouts run again, unless the
 * module of the action exports `revalidate = false`.
 *
 * Without arguments, the action is that of the current page. `useSubmission<'/notes'>()` then gives the result the
 * types of that page. Before the first submission, the result is that of a form that was sent without JavaScript.
 * `useSubmission('/products/[id]', { id }, { action: 'comment' })` sends to one of the `actions` of that page.
 * With arguments, it throws a TypeError as `href` does, for example if a parameter is missing.
 */
export function useSubmission<Route extends ActionRoute = never>(): Submission<ActionResult<Route>>
export function useSubmission<const Route extends ActionRoute, const Action extends ActionName<Route>>(
  route: Route,
  params: HrefArguments<Route>[0],
  options: HrefOptions<Route> & { action: Action },
): Submission<ActionResult<Route, Action>>
export function useSubmission<const Route extends ActionRoute>(
  route: Route,
  ...params: HrefArguments<Route>
): Submission<ActionResult<Route>>
export function useSubmission(route?: `/${string}`, ...rest: unknown[]): Submission<unknown> {
  // The overloads have checked the arguments.
  const path = route && (href as (...all: unknown[]) => string)(route, ...rest)
  const { base, extras } = useContext(PlatformContext)
  // Outside of a page there is none.
  const { url: current } = useContext(contextOf('url')) as Partial<Address>
  const url = path && base ? base + path.replace(/^\/(?=[?#]|$)/, '') : path
  const store = useStore(url ?? current?.pathname)
  const state = useSyncExternalStore(store.subscribe, store.get, () => NOTHING)
  const [settled, setSettled] = useState<{ store?: SubmissionStore; number: number }>({ number: 0 })
  const [gate, setGate] = useState<Promise<void>>()
  // Suspends only the transition in which the gate was set: see `onSubmit`.
  if (gate) use(gate)
  // Later it could be too late: `onSubmit` cannot wait for the script.
  useEffect(() => void loadBrowserFunctions('useSubmission').catch(() => {}), [])

  const send = (fields: SentFields, more: { key?: string; release?: () => void } = {}) =>
    store.send(fields, { ...more, settled: (number) => startTransition(() => setSettled({ store, number })) })

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    const form = event.defaultPrevented ? null : browser.loaded?.readForm(event.nativeEvent, url)
    if (!form) return
    event.preventDefault()
    if (store.isSending(form.key)) return
    // React takes the form for pending, for `useFormStatus`, as long as a transition is that began in this event.
    const { promise, release } = createGate()
    startTransition(() => setGate(promise))
    void send({ ...form, method: 'POST' }, { key: form.key, release })
  }

  const isHere = url === undefined || url.split('?')[0] === current?.pathname
  const isOwn = isHere && extras?.action === (rest[1] as HrefOptions | undefined)?.action
  const ofPage = isOwn && extras ? { data: extras.actionData, invalid: extras.invalid, error: undefined } : NO_RESULT
  const isSettled = settled.store === store && settled.number >= state.newest
  return {
    ...(state.result === undefined ? ofPage : (state.result ?? NO_RESULT)),
    form: { method: 'post', ...(url !== undefined && { action: url }), onSubmit },
    isPending: state.isPending,
    formData: isSettled ? undefined : state.formData,
    progress: state.progress,
    submit: async (body, { method = 'POST' } = {}) =>
      resultOf(await send({ href: url, method, formData: formDataOf(body) })),
    reset: store.reset,
    abort: store.abort,
  }
}

/** Returns the state of the submissions to a URL. Another URL begins with new state. */
function useStore(target: string | undefined): SubmissionStore {
  const [held, setHeld] = useState(() => ({ target, store: createSubmissionStore() }))
  if (held.target === target) return held.store
  const next = { target, store: createSubmissionStore() }
  setHeld(next)
  return next.store
}

/** Returns a promise for `use`, and the function that resolves it. */
function createGate() {
  let resolve: () => void
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return {
    promise,
    release() {
      // React reads these fields of a settled promise, and then does not wait for a microtask.
      Object.assign(promise, { status: 'fulfilled', value: undefined })
      resolve()
    },
  }
}

interface SendOptions {
  /** Identifies the fields of a form. Equal fields are not sent again while they are being sent. */
  key?: string
  /** Called when the submission has a result, and before the page is replaced. */
  release?(): void
  /** Called with the number of the submission when the fresh data is shown, in the same task. */
  settled(number: number): void
}

interface Delivered {
  outcome: SubmissionOutcome
  /** Resolves when the fresh data is shown. */
  shown?: Promise<void>
  refused?(invalid: Invalid): void
}

export type SubmissionStore = ReturnType<typeof createSubmissionStore>

/** Creates the functions that send the fields of one `useSubmission`, and its state. */
export function createSubmissionStore() {
  const keys = new Set<string>()
  const aborts = new Map<number, () => void>()
  const state = createSubmissionState()

  async function deliver(number: number, fields: SentFields, { release, settled }: SendOptions): Promise<Delivered> {
    let isAborted = false
    aborts.set(number, () => {
      isAborted = true
    })
    const { submit } = await loadBrowserFunctions('submit')
    if (isAborted) return { outcome: {} }
    const sent = submit(fields, {
      progress: (share) => state.progress(number, share),
      settled: () => settled(number),
      release: () => release?.(),
    })
    aborts.set(number, sent.abort)
    return { outcome: await sent.outcome, shown: sent.settled, refused: sent.refused }
  }

  return {
    get: state.get,
    subscribe: state.subscribe,
    isSending: (key: string) => keys.has(key),
    /** Sends fields. Resolves when the result is there and the loads have run again. */
    async send(fields: SentFields, options: SendOptions): Promise<SubmissionOutcome> {
      const { key = '', release } = options
      const number = state.begin(fields.formData)
      keys.add(key)
      const { outcome, shown, refused } = await deliver(number, fields, options)
        .catch((thrown): Delivered => {
          if (!browser.load) throw thrown
          // The script that sends could not be loaded.
          return { outcome: { error: { message: NOT_SENT } } }
        })
        .finally(() => {
          aborts.delete(number)
          keys.delete(key)
          release?.()
        })
      if (state.take(number, outcome) && outcome.invalid && state.isObserved()) refused?.(outcome.invalid)
      await shown
      return outcome
    },
    abort() {
      for (const abort of aborts.values()) abort()
      state.forget()
    },
    reset: () => state.forget({ result: null }),
  }
}

/** Returns fields as a `FormData`. */
export function formDataOf(content: SubmitBody): FormData {
  if (content instanceof FormData) return content
  const formData = new FormData()
  const entries = content instanceof URLSearchParams ? content : Object.entries(content)
  for (const [name, value] of entries) formData.append(name, value)
  return formData
}
