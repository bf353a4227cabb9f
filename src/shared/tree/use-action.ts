import { useCallback, useContext } from 'react'
import type { Action, ActionData } from '../page-types.ts'
import type { SubmitBody } from './navigation-state.ts'
import { PlatformContext } from './platform.ts'
import { useNavigation } from './use-navigation.ts'

export interface SubmitOptions {
  /** ('POST') */
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Where to: the URL of a page, relative to this page's (this page's own URL, with its query). */
  action?: string | URL
}

/** What `useAction` returns: `[data, submit, isPending]`. */
export type ActionState<A extends Action> = readonly [
  data: ActionData<A> | undefined,
  submit: (body: SubmitBody, options?: SubmitOptions) => Promise<void>,
  isPending: boolean,
]

/**
 * The page's action, in any component of the page or its layouts: `const [data, submit, isPending] =
 * useAction<typeof action>()`.
 *
 * - `data`: what the action returned last, as in the prop `actionData`; `undefined` before it has run, after a redirect,
 *   and on the next page.
 * - `submit(body, options)`: sends to the page's action what no form of the page sends. Resolves when the answer stands
 *   in the page; also when that is a refusal or a failure, which stand in the page's place. Rejects when the network
 *   fails, and nobody knows whether it has arrived: then the page says so as well, and nothing is sent again. For event
 *   handlers and effects; throws on the server.
 * - `isPending`: whether something is being sent to this page's path, by `submit` or by a form that is answered in
 *   place. On the server always false.
 */
export function useAction<A extends Action>(): ActionState<A> {
  const { actionData, address, navigation } = useContext(PlatformContext)
  const state = useNavigation()
  const submit = useCallback(
    async (body: SubmitBody, { method = 'POST', action = '' }: SubmitOptions = {}) => {
      // An effect of the first render comes before the page is interactive.
      await null
      if (!navigation.submit)
        throw new Error('submit() may be called only in event handlers and effects, in the browser.')
      const own = address ? address.url.pathname + address.url.search : ''
      await navigation.submit(action || own, method, body)
    },
    [navigation, address],
  )
  const isPending = state.state === 'submitting' && state.url.pathname === address?.url.pathname
  // What the page's action returned: which page that is, the type argument says.
  return [actionData as ActionData<A> | undefined, submit, isPending]
}
