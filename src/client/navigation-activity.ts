import { IDLE, type NavigationState } from '../shared/tree/navigation-state.ts'
import type { App } from './app-state.ts'

/**
 * Tells components what is going on. What is begun lasts until the function that comes back is called. Of several, the
 * last counts; what is being sent is told as long as anything is, also while the page that it leads to is fetched.
 */
export function createActivity(navigation: App['navigation']) {
  const states = new Set<NavigationState>()

  function tell() {
    const all = [...states]
    navigation.set(all.findLast(({ state }) => state === 'submitting') ?? all.at(-1) ?? IDLE)
  }

  return (state: NavigationState) => {
    states.add(state)
    tell()
    return () => {
      states.delete(state)
      tell()
    }
  }
}
