// The state of the current navigation, for components that show it.

/** Whether a navigation or a submission is pending, and its target. */
export type NavigationState =
  | { readonly state: 'idle' }
  | { readonly state: 'loading'; readonly url: URL }
  | { readonly state: 'submitting'; readonly url: URL; readonly formData: FormData }

/** The fields that a script submits. Files need a `FormData`. */
export type SubmitBody = FormData | URLSearchParams | Readonly<Record<string, string>>

interface NavigationStore {
  get(): NavigationState
  subscribe(listener: () => void): () => void
}

export const IDLE: NavigationState = { state: 'idle' }

function createNavigationStore(): NavigationStore & { set(next: NavigationState): void } {
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

/** The store of the document. On the server it stays idle. */
export const navigationStore = createNavigationStore()
