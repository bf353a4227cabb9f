import type { NavigationState } from '../../shared/tree/navigation-state.ts'
import type { App } from '../app-state.ts'

/**
 * Returns the function that begins a state of `useNavigation`. The state lasts until the returned function is called.
 * With several states at the same time, components see the last one that is submitting, else the last one.
 */
export function createActivity(navigation: App['platform']['navigation']) {
  const idle = navigation.get()
  const states = new Set<NavigationState>()

  function update() {
    const all = [...states]
    navigation.set(all.findLast(({ state }) => state === 'submitting') ?? all.at(-1) ?? idle)
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
