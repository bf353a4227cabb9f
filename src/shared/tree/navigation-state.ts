// What the browser is doing, for components that show it.

/** What a navigation or a form that was sent is waiting for. */
export type NavigationState =
  | { readonly state: 'idle' }
  | { readonly state: 'loading'; readonly url: URL }
  | { readonly state: 'submitting'; readonly url: URL; readonly formData: FormData }

/** What a script sends: fields, with files in a `FormData`. */
export type SubmitBody = FormData | URLSearchParams | Readonly<Record<string, string>>

/** Sends it to a page's action; resolves when the answer stands in the page. */
export type Submit = (to: string | URL, method: string, body: SubmitBody) => Promise<void>

export interface NavigationStore {
  /** In the browser, once the page is interactive. */
  submit?: Submit
  get(): NavigationState
  subscribe(listener: () => void): () => void
}

export const IDLE: NavigationState = { state: 'idle' }

export function createNavigationStore(): NavigationStore & { set(next: NavigationState): void } {
  const listeners = new Set<() => void>()
  let current = IDLE
  return {
    get: () => current,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    set(next: NavigationState) {
      current = next
      for (const listener of listeners) listener()
    },
  }
}

/** Where nothing is ever waited for. */
export const idleStore: NavigationStore = createNavigationStore()
