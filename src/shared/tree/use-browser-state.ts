import { useSyncExternalStore } from 'react'
import { IDLE, type LiveState, liveStore, type NavigationState, navigationStore } from './browser-state.ts'

/**
 * Returns the state of the current navigation: `{ state: 'idle' }`, `{ state: 'loading', url }` while the next page is
 * fetched, or `{ state: 'submitting', url, formData }` while a form is being sent. On the server it is always idle. It
 * does not change for `useSubmission`, nor in browsers without the Navigation API.
 */
export function useNavigation(): NavigationState {
  return useSyncExternalStore(navigationStore.subscribe, navigationStore.get, () => IDLE)
}

/** Returns whether the page hears of changes, for a note that it may be out of date. On the server it is `off`. */
export function useLive(): LiveState {
  return useSyncExternalStore(liveStore.subscribe, liveStore.get, () => 'off')
}
