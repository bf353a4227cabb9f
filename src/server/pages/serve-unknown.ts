import { guardsOfPath } from '../build-output/guarded-folders.ts'
import type { RequestContext } from '../context/request-context.ts'
import { pathAndQuery, pathOf, withoutTrailingSlash } from '../http/request-url.ts'
import { HttpError, NotFoundSignal } from '../thrown/http-error.ts'
import { admitToPage } from './admit-to-page.ts'
import { noteMissingAction } from './development-notes.ts'
import type { PreparedRoute } from './prepared-route.ts'
import { respondInSlot } from './raw-response.ts'
import { sendRedirect } from './send-response.ts'
import { serveGuardError, serveHookError } from './serve-error.ts'
import { type GuardStep, runGuards } from './site-guards.ts'

/** Responds with 405. `allowed` lists the methods that the page's URL has. */
export async function refuseMethod(route: PreparedRoute, allowed: string, ctx: RequestContext): Promise<void> {
  if (!ctx.site.slots.admit(ctx)) return
  await respondInSlot(ctx, async () => {
    // A visitor who may not see the page must not learn that it exists.
    if (!(await admitToPage(route, ctx))) return
    noteMissingAction(route, ctx)
    ctx.reply.header('allow', allowed)
    await serveHookError(new HttpError(405, `${ctx.request.method} is not allowed here.`), route, ctx)
  })
}

/** Responds to a path without a page: with a redirect to the path without its trailing slash, or with the 404 page. */
export async function serveNotFound(ctx: RequestContext): Promise<void> {
  const { method, url } = ctx.request
  const location = method === 'GET' || method === 'HEAD' ? withoutTrailingSlash(pathAndQuery(url)) : null
  if (location !== null) return sendRedirect(location, 308, ctx)
  if (!ctx.site.slots.admit(ctx)) return
  await respondInSlot(ctx, async () => {
    if (await admitToUnknown(ctx)) await serveHookError(new NotFoundSignal(), ctx.site.build.root, ctx)
  })
}

/** Runs the guards of a path without a page, and then the not-found handler of `server.ts`. */
export async function guardUnknown(ctx: RequestContext): Promise<void> {
  if (!ctx.site.slots.admit(ctx)) return
  await respondInSlot(ctx, async () => {
    if (await admitToUnknown(ctx)) ctx.reply.callNotFound()
  })
}

/** Runs the guards of a path without a page. Returns false if the response has been sent. */
async function admitToUnknown(ctx: RequestContext): Promise<boolean> {
  const { app, build } = ctx.site
  const { root } = build
  // Fastify 5 accepts the option at both places, and reports it where it was given.
  const { caseSensitive, routerOptions } = app.initialConfig
  const isCaseSensitive = caseSensitive !== false && routerOptions?.caseSensitive !== false
  const guards = guardsOfPath(build.guardedFolders, pathOf(pathAndQuery(ctx.request.url)), isCaseSensitive)
  if (guards.length === 0) return true
  // The 404 page is inside the root layout, whose guard is the first one.
  const levelOf = (folder: string) => (folder === 'pages' ? 0 : root.layouts.length)
  const steps = guards.map((one): GuardStep => ({ ...one, level: levelOf(one.folder) }))
  const outcome = await runGuards(steps, ctx)
  ctx.hasPassedGuards = outcome.kind === 'passed'
  if (outcome.kind === 'thrown') await serveGuardError(root, outcome.caught, outcome.level, ctx)
  return outcome.kind === 'passed'
}
