import { useContext, useSyncExternalStore } from 'react'
import { IDLE, type NavigationState } from './navigation-state.ts'
import { PlatformContext } from './platform.ts'

/**
 * Where the visitor is going: `{ state: 'idle' }`, `{ state: 'loading', url }` while the next page is fetched, or
 * `{ state: 'submitting', url, formData }` while a form is being sent. On the server and in browsers without the
 * Navigation API idle, but for what `useAction` submits.
 */
export function useNavigation(): NavigationState {
  const { navigation } = useContext(PlatformContext)
  return useSyncExternalStore(navigation.subscribe, navigation.get, () => IDLE)
}
