import { useCallback, useContext } from 'react'
import type { Action, ActionData } from '../page-types.ts'
import { browser } from './browser.ts'
import type { SubmitBody } from './navigation-state.ts'
import { PlatformContext } from './platform.ts'
import { useNavigation } from './use-navigation.ts'

export interface SubmitOptions {
  /** The HTTP method (`'POST'`). */
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * The URL of the page whose action runs, relative to the current page (the current page's own URL, with its query).
   */
  action?: string | URL
}

/** What `useAction` returns: `[data, submit, isPending]`. */
export type ActionState<A extends Action> = readonly [
  data: ActionData<A> | undefined,
  submit: (body: SubmitBody, options?: SubmitOptions) => Promise<void>,
  isPending: boolean,
]

/**
 * Returns the state of the page's action. Use it in any component of the page or its layouts: `const [data, submit,
 * isPending] = useAction<typeof action>()`.
 *
 * - `data`: the last value that the action returned, as in the prop `actionData`. It is `undefined` before the action
 *   has run, after a redirect, and on the next page.
 * - `submit(body, options)`: sends fields to the page's action without a form. Resolves when the page shows the result,
 *   a refusal or a failure too. Rejects when the network fails and it is unknown whether the fields have arrived: then
 *   the page says so too, and nothing is sent again. Call it in event handlers and effects; on the server it rejects.
 * - `isPending`: whether fields are being sent to the path of this page, by `submit` or by a form. On the server always
 *   false.
 */
export function useAction<A extends Action>(): ActionState<A> {
  const { actionData, address } = useContext(PlatformContext)
  const state = useNavigation()
  const submit = useCallback(
    async (body: SubmitBody, { method = 'POST', action = '' }: SubmitOptions = {}) => {
      // An effect of the first render runs before `browser.load` is set.
      await null
      if (!browser.load) throw new Error('submit() may be called only in event handlers and effects, in the browser.')
      const current = address ? address.url.pathname + address.url.search : ''
      const { send } = await browser.load()
      await send(action || current, method, body)
    },
    [address],
  )
  const isPending = state.state === 'submitting' && state.url.pathname === address?.url.pathname
  // The type argument names the action of the current page.
  return [actionData as ActionData<A> | undefined, submit, isPending]
}
