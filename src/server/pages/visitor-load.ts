import type { RequestContext } from '../context/request-context.ts'
import { runStep } from '../context/run-step.ts'
import { stackEnd } from '../util/stack-end.ts'
import { createPageLoadContext } from './load-context.ts'
import type { Route } from '../build-output/load-build.ts'

/** Calls the `loadVisitor` of a page with the request itself. Returns `undefined` for a page without one. */
export function startVisitorLoad(
  { loadVisitor, page }: Pick<Route, 'loadVisitor' | 'page'>,
  ctx: RequestContext,
): Promise<unknown> | undefined {
  if (!loadVisitor) return undefined
  const loading = call()
  // The page may never read it, and an unhandled rejection would end the process.
  loading.catch(() => {})
  return loading

  async function call(): Promise<unknown> {
    await stackEnd
    return runStep('load', page.serverFile, ctx, () => loadVisitor?.(createPageLoadContext(ctx)))
  }
}
