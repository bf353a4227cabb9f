import { type NavigationState, navigationStore } from '../../shared/tree/browser-state.ts'
import type { App } from '../app.tsx'

/** The state that navigations and forms share. */
export interface NavigatorState {
  /** The URL of the page in the document, as long as the address bar already has that of another page; else null. */
  urlOnScreen: string | null
  /** The key of the history entry of that page. */
  keyOnScreen: string | null
  /** How many times an action has, or may have, changed data. */
  version: number
  /** How many times the visitor has left for another page. */
  departures: number
  formsSent: number
  /** How many forms are being sent. */
  pendingForms: number
  /** How many refreshes run or wait. */
  refreshes: number
  /** How many redirects in a row have been followed. */
  redirects: number
  /** The last position with which the stream of the page has asked for a refresh; an empty text for none. */
  told: string
}

/** The objects that navigations and forms share. */
export interface NavigatorContext {
  app: App
  state: NavigatorState
  /** Begins a state of `useNavigation`. */
  begin: ReturnType<typeof createActivity>
}

/**
 * Returns the function that begins a state of `useNavigation`. The state lasts until the returned function is called.
 * With several states at the same time, components see the last one that is submitting, else the last one.
 */
export function createActivity() {
  const idle = navigationStore.get()
  const states = new Set<NavigationState>()

  function update() {
    const all = [...states]
    navigationStore.set(all.findLast(({ state }) => state === 'submitting') ?? all.at(-1) ?? idle)
  }

  return (state: NavigationState) => {
    states.add(state)
    update()
    return () => {
      states.delete(state)
      update()
    }
  }
}
