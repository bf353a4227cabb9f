import { type Dispatch, type SetStateAction, useState } from 'react'

/**
 * `useState` whose value comes back together with the text of forms: after Back, Forward and a reload, after a sign-in that
 * interrupted a form, and after a form that was sent without JavaScript was not accepted. The server and the hydration render
 * `initial`. The value may be whatever a load can return, without promises. The tab keeps it for ten minutes, for the
 * visitor whom `identifyVisitor` names.
 *
 * @param key Identifies the value among those of the page.
 * @param initial The value of the first render, or a function that returns it.
 */
export function useRestoredState<Value>(
  key: string,
  initial: Value | (() => Value),
): [Value, Dispatch<SetStateAction<Value>>]
// The bundles for browsers have `src/client/restored-state.ts` in place of this module.
export function useRestoredState<Value>(_key: string, initial: Value | (() => Value)) {
  return useState(initial)
}
