// What the browser is doing for the page, for components that show it.

/** Whether a navigation or a submission is pending, and its target. */
export type NavigationState =
  | { readonly state: 'idle' }
  | { readonly state: 'loading'; readonly url: URL }
  | { readonly state: 'submitting'; readonly url: URL; readonly formData: FormData }

/** The fields that a script submits. Files need a `FormData`. */
export type SubmitBody = FormData | URLSearchParams | Readonly<Record<string, string>>

/**
 * Whether a live page hears of changes: `connected`; `lost` while the browser tries to connect again, so that the page may be
 * out of date; `off` for any other page, while the tab is hidden, and before the browser has connected.
 */
export type LiveState = 'off' | 'connected' | 'lost'

export const IDLE: NavigationState = { state: 'idle' }

/** Keeps a value, and tells components when it changes. */
function createStore<Value>(initial: Value) {
  const listeners = new Set<() => void>()
  let current = initial
  return {
    get: () => current,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    set(next: Value) {
      current = next
      for (const listener of listeners) listener()
    },
  }
}

/** The stores of the document. On the server they do not change. */
export const navigationStore = createStore<NavigationState>(IDLE)
export const liveStore = createStore<LiveState>('off')
