import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { withBase } from '../../shared/paths.ts'
import type { Site } from '../context/site.ts'
import { finishErrorHooks } from '../failures/on-error-hooks.ts'
import { refuseEncoded } from '../forms/body-checks.ts'
import { createTooLarge, type FormLimits } from '../forms/limits.ts'
import { addFormParsers } from '../forms/read-form.ts'
import { HIDDEN, ownPath } from '../http/own-routes.ts'
import { pageRoute } from '../http/route-config.ts'
import type { PageRoute } from '../pages/page-route.ts'
import { serveAction } from '../pages/serve-action.ts'
import { refuseMethod, serveError, serveNotFound } from '../pages/serve-error.ts'
import { servePage } from '../pages/serve-page.ts'
import { navigationOptions } from './navigation-routes.ts'

const READ = ['GET', 'HEAD']
const WRITE = ['POST', 'PUT', 'PATCH', 'DELETE']

/** Adds a route for each page, its action, and for what is no page. */
export async function addSiteRoutes(app: FastifyInstance, site: Site, pages: readonly PageRoute[]) {
  await addActions(app, site, pages)
  addPages(app, site, pages)
}

// In a scope of their own: an app or a `server.ts` may have parsers for forms that its own routes rely on.
async function addActions(app: FastifyInstance, site: Site, pages: readonly PageRoute[]) {
  const { options } = site
  const limits = { ...options.forms, bodyLimit: options.bodyLimit }
  await app.register(async (scope) => {
    addFormParsers(scope, limits)
    for (const page of pages.filter(({ action }) => action !== null)) {
      addPageRoute(scope, site, WRITE, withBase(options.base, page.url), page.id, {
        bodyLimit: options.bodyLimit,
        preParsing: refuseEncoded,
        errorHandler: (error, ...pair) => serveError(nameLimit(error, limits), page, site, ...pair),
        handler: (...pair) => void serveAction(page, site, ...pair),
      })
    }
  })
}

// Fastify's own error does not say which limit it was.
function nameLimit(error: FastifyError, limits: FormLimits): Error {
  return error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? createTooLarge('bodyLimit', limits) : error
}

function addPages(app: FastifyInstance, site: Site, pages: readonly PageRoute[]) {
  const { options } = site
  for (const route of pages) {
    const url = withBase(options.base, route.url)
    const errorHandler: RouteOptions['errorHandler'] = (error, request, reply) =>
      serveError(error, route, site, request, reply)
    const handler: RouteOptions['handler'] = (...pair) => void servePage(route, site, ...pair)
    addPageRoute(app, site, READ, url, route.id, { errorHandler, handler })
    const allowed = [...READ, ...WRITE.filter((method) => app.hasRoute({ method, url }))].join(', ')
    const refusal = beforeBody((...pair) => refuseMethod(route, allowed, site, ...pair))
    addPageRoute(app, site, WRITE, url, route.id, { errorHandler, ...refusal })
  }
  // As routes, not as Fastify's not-found handler: an app may have one of its own for the rest of its paths.
  const answer: Answer = (...pair) => serveNotFound(site, ...pair)
  // For what such an answer has told itself; the rest is for the error handler that `server.ts` may have set.
  const errorHandler: RouteOptions['errorHandler'] = (error, ...pair) => {
    if (!finishErrorHooks(error, ...pair)) throw error
  }
  for (const path of ['/', '/*']) {
    const url = withBase(options.base, path)
    // These have no body that could not be read: all hooks come first.
    addRoute(app, READ, url, '*', { errorHandler, handler: answerWith(answer) })
    addRoute(app, WRITE, url, '*', { errorHandler, ...beforeBody(answer) })
  }
}

// What is refused whatever its body holds is refused before Fastify reads the body, which it may not know how to.
function beforeBody(answer: Answer) {
  return { onRequest: answerWith(answer), handler: () => {} }
}

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

// What it rejects with is for the error handlers.
function answerWith(answer: Answer) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    await answer(request, reply)
    return reply
  }
}

type PageOptions = Pick<RouteOptions, 'handler' | 'errorHandler' | 'onRequest' | 'preParsing' | 'bodyLimit'>

function addRoute(
  app: FastifyInstance,
  methods: readonly string[],
  url: string,
  pattern: string,
  options: PageOptions,
): RouteOptions {
  // The site's `server.ts` comes first: it may answer a method of a page's URL itself.
  const method = methods.filter((name) => !app.hasRoute({ method: name, url }))
  const route: RouteOptions = {
    ...options,
    method,
    url: ownPath(app, url),
    prefixTrailingSlash: 'no-slash',
    config: pageRoute(pattern),
    schema: HIDDEN,
  }
  if (method.length > 0) app.route(route)
  return route
}

/** Adds the route of a page, and the same once more for navigations. */
function addPageRoute(
  app: FastifyInstance,
  site: Site,
  methods: readonly string[],
  url: string,
  pattern: string,
  options: PageOptions,
) {
  const route = addRoute(app, methods, url, pattern, options)
  const method = [...route.method].filter((name) => name !== 'HEAD')
  const own = navigationOptions(site)
  const onRequest = [own.onRequest, ...[options.onRequest ?? []].flat()]
  if (method.length > 0) app.route({ ...route, ...own, method, onRequest })
}
