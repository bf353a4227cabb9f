import { type Context, createContext, type ReactElement } from 'react'
import { jsx } from 'react/jsx-runtime'

// The values of a page for the components below, each in a context of its own. So React renders a component again only if
// the value that it reads has changed. The browser keeps the identity of equal values: see `keepEqual`.

/**
 * The contexts by the names of their values. Both sides and all sites of a process share them, because a context has no
 * state. There are as many as routes of layouts. This object is the value of a context that nothing provides.
 */
export const contexts: Record<string, Context<unknown>> = {}

/**
 * Provides a value: `url` is the page's `Address`, `route` its route, and `params` its parameters. The route of a layout is
 * the name of its data.
 */
export function provide(name: string | undefined, value: unknown, children: ReactElement): ReactElement {
  // Not by `contextOf`, which only pages with hooks need. Hydrant's own layout has no route, and nothing reads its data.
  // biome-ignore lint/suspicious/noAssignInExpressions: a statement would add 13 bytes to every page
  return jsx((contexts[name as string] ??= createContext<unknown>(contexts)), { value, children })
}

/** Returns the context of a value. */
export function contextOf(name: string): Context<unknown> {
  contexts[name] ??= createContext<unknown>(contexts)
  return contexts[name]
}
