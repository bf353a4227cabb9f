import { guardsOfPath } from '../build-output/guarded-folders.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { PageResponse } from '../context/response.ts'
import { HttpError, NotFoundSignal } from '../errors/http-error.ts'
import { catchError } from '../failures/failure-context.ts'
import { pathAndQuery, pathOf, withoutTrailingSlash } from '../http/request-url.ts'
import { admit, admitBy } from './admit.ts'
import { hintAtMissingAction } from './development-notes.ts'
import { makeHookError } from './error-handler.ts'
import { redirectTo } from './errors.ts'
import type { GuardStep } from './guards.ts'
import type { PreparedRoute } from './prepared-route.ts'
import { deliver, type MakeResponse, serve } from './send.ts'

/** Responds with 405. `allowed` lists the methods that the page's URL has. */
export async function refuseMethod(route: PreparedRoute, allowed: string, ctx: RequestContext): Promise<void> {
  await serveWithSlot(ctx, async () => {
    // A visitor who may not see the page must not learn that it exists.
    const admitted = await admit(route, ctx)
    if (admitted !== 'passed') return admitted
    if (ctx.site.isDevelopment) hintAtMissingAction(route, ctx)
    ctx.reply.header('allow', allowed)
    return await makeHookError(
      catchError(new HttpError(405, `${ctx.request.method} is not allowed here.`), 'route'),
      route,
      ctx,
    )
  })
}

/** Responds to a path without a page: with a redirect to the path without its trailing slash, or with the 404 page. */
export async function respondToUnknown(ctx: RequestContext): Promise<void> {
  const { method, url } = ctx.request
  const location = method === 'GET' || method === 'HEAD' ? withoutTrailingSlash(pathAndQuery(url)) : null
  if (location !== null) return deliver(redirectTo(location, 308), ctx)
  await serveWithSlot(ctx, async () => {
    const admitted = await admitToUnknown(ctx)
    return admitted === 'passed'
      ? await makeHookError(catchError(new NotFoundSignal(), 'route'), ctx.site.build.root, ctx)
      : admitted
  })
}

/** Runs the guards of a path without a page, and then the not-found handler of `server.ts`. */
export async function guardUnknown(ctx: RequestContext): Promise<void> {
  await serveWithSlot(ctx, async () => {
    const admitted = await admitToUnknown(ctx)
    if (admitted !== 'passed') return admitted
    ctx.reply.callNotFound()
    return null
  })
}

async function serveWithSlot(ctx: RequestContext, make: MakeResponse): Promise<void> {
  if (ctx.site.slots.admit(ctx)) await serve(ctx, make)
}

/** Runs the guards of a path without a page. Returns as `admitBy`. */
async function admitToUnknown(ctx: RequestContext): Promise<'passed' | PageResponse | null> {
  const { app, build } = ctx.site
  const { root } = build
  // Fastify 5 accepts the option at both places, and reports it where it was given.
  const { caseSensitive, routerOptions } = app.initialConfig
  const isCaseSensitive = caseSensitive !== false && routerOptions?.caseSensitive !== false
  const guards = guardsOfPath(build.guardedFolders, pathOf(pathAndQuery(ctx.request.url)), isCaseSensitive)
  // The 404 page is inside the root layout, whose guard is the first one.
  const levelOf = (folder: string) => (folder === 'pages' ? 0 : root.layouts.length)
  const steps = guards.map((one): GuardStep => ({ ...one, level: levelOf(one.folder) }))
  return await admitBy(steps, root, ctx)
}
