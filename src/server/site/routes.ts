import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onSendHookHandler,
  preParsingHookHandler,
  RouteOptions,
} from 'fastify'
import { withBase } from '../../shared/paths.ts'
import { ACTED_HEADER, ACTED_WITH_COOKIE, BUILD_HEADER } from '../../shared/wire/navigation-protocol.ts'
import type { Route } from '../build-output/load-build.ts'
import {
  createNavigationContext,
  createNotFoundContext,
  createPageContext,
  formatOf,
  keepPageContext,
  selectAction,
  takePageContext,
} from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import { createTooLarge, type FormLimits, refuseEncoded } from '../forms/limits.ts'
import { addFormParsers } from '../forms/read-form.ts'
import {
  dropResponse,
  FOR_PAGES,
  FOR_VISITORS,
  forbidCaching,
  forOwnUnknown,
  isNavigation,
  isOwnResponse,
  isPageFirst,
  rememberCookies,
  replacementFor,
} from '../http/navigation-strategy.ts'
import { pathAndQuery, pathOf, withoutTrailingSlash } from '../http/request-url.ts'
import { HIDDEN, ownPath, pageRoute, READ_METHODS, routeOf, WRITE_METHODS } from '../http/route-config.ts'
import { guardAction, respondToAction } from '../pages/act.ts'
import { showsInvalid } from '../pages/check-form.ts'
import { createErrorHandler } from '../pages/error-handler.ts'
import { loadDocument } from '../pages/navigation.ts'
import type { Prepare } from '../pages/prepared-route.ts'
import { respondToRead } from '../pages/respond.ts'
import { send } from '../pages/send.ts'
import { guardUnknown, refuseMethod, respondToUnknown } from '../pages/unknown.ts'

/** Adds the routes of pages, actions and unknown paths, which a not-found handler of `server.ts` may replace. */
export async function addSiteRoutes(app: FastifyInstance, site: Site, prepare: Prepare, hasNotFoundHandler: boolean) {
  await addActions(app, site, prepare)
  addPages(app, site, prepare)
  if (!hasNotFoundHandler) addUnknownPaths(app, site)
  else if (site.build.guardedFolders.length > 0) guardUnknownPaths(app, site)
}

// In a scope of its own: the app or `server.ts` may have content type parsers for forms that their own routes need.
async function addActions(app: FastifyInstance, site: Site, prepare: Prepare) {
  const { options } = site
  const limits = { ...options.forms, bodyLimit: options.bodyLimit }
  const withAction = site.build.routes.filter(({ actions }) => actions.size > 0)
  const byId = new Map(withAction.map((page) => [page.id, page]))
  const navigation = navigationOptions(site)
  await app.register(async function actions(scope) {
    addFormParsers(scope, limits, (request) => {
      const page = byId.get(routeOf(request))
      const query = request.url.slice(pathOf(request.url).length)
      return page !== undefined && showsInvalid(selectAction(prepare(page), query).action, formatOf(site, request))
    })
    for (const page of withAction) {
      const handleError = createErrorHandler(site, () => prepare(page))
      const target = { methods: WRITE_METHODS, url: withBase(options.base, page.url), route: page.id }
      addPageRoute(scope, navigation, target, {
        bodyLimit: options.bodyLimit,
        preParsing: [refuseBeforeBody(page, site, prepare), refuseEncoded],
        errorHandler: (error, ...pair) => handleError(nameLimit(error, limits), ...pair),
        handler: (...pair) => respondToAction(prepare(page), takePageContext(prepare(page), site, ...pair)),
      })
    }
  })
}

// `done` is not called for a request that is refused: it has its response. Node.js discards the body then.
function refuseBeforeBody(route: Route, site: Site, prepare: Prepare): preParsingHookHandler {
  return (request, reply, payload, done) => {
    if (hasEmptyParam(request)) return void respondToUnknown(createNotFoundContext(site, request, reply))
    const page = prepare(route)
    if (page.guards.length === 0) return done(null, payload)
    const ctx = createPageContext(page, site, request, reply)
    void guardAction(page, ctx, () => {
      keepPageContext(ctx)
      done(null, payload)
    })
  }
}

// Fastify's own error does not say which limit was exceeded.
function nameLimit(error: FastifyError, limits: FormLimits): Error {
  return error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? createTooLarge('bodyLimit', limits) : error
}

// perf: one route for all methods instead of two, 55 ms instead of 99 ms to register 300 pages, commit 8d8d4fde
function addPages(app: FastifyInstance, site: Site, prepare: Prepare) {
  const navigation = navigationOptions(site)
  for (const page of site.build.routes) {
    const target = { methods: METHODS, url: withBase(site.options.base, page.url), route: page.id }
    const { method: refused } = addPageRoute(app, navigation, target, {
      errorHandler: createErrorHandler(site, () => prepare(page)),
      // Refuses other methods before Fastify reads the body, which it may have no parser for.
      onRequest(request, reply, done) {
        if (READ_METHODS.includes(request.method)) return done()
        const allowed = [...READ_METHODS, ...WRITE_METHODS.filter((method) => !refused.includes(method))].join(', ')
        refuseMethod(prepare(page), allowed, createPageContext(prepare(page), site, request, reply)).catch(done)
      },
      handler: createReadHandler(page, site, prepare),
    })
  }
}

// Fastify's `:id` matches nothing at all (`/notes/`), and `*` keeps the slashes at the end of a path.
function createReadHandler(page: Route, site: Site, prepare: Prepare): RouteOptions['handler'] {
  const serve: RouteOptions['handler'] = (...pair) => respondToRead(prepare(page), site, ...pair)
  if (!/[:*]/.test(page.url)) return serve
  const respond = respondWith((...pair) => respondToUnknown(createNotFoundContext(site, ...pair)))
  return function (request, reply) {
    const isAddress = !hasEmptyParam(request) && withoutTrailingSlash(pathAndQuery(request.url)) === null
    return (isAddress ? serve : respond).call(this, request, reply)
  }
}

function hasEmptyParam(request: FastifyRequest): boolean {
  const params = request.params as Record<string, string>
  for (const name in params) if (params[name] === '' && name !== '*') return true
  return false
}

// Routes, and not Fastify's not-found handler: the app may have a not-found handler for the rest of its paths.
function addUnknownPaths(app: FastifyInstance, site: Site) {
  const respond: Respond = (...pair) => respondToUnknown(createNotFoundContext(site, ...pair))
  const constraints = forOwnUnknown(app)
  // Guards need the hooks of `server.ts`. Without guards, `addOtherNavigations` responds to navigations.
  const isGuarded = site.build.guardedFolders.length > 0
  const add = (target: RouteTarget, options: PageOptions) =>
    isGuarded ? addPageRoute(app, navigationOptions(site), target, options) : addRoute(app, target, options)
  for (const path of ['/', '/*']) {
    const url = withBase(site.options.base, path)
    // These requests have no body that Fastify could fail to read, so all hooks run first.
    add({ methods: READ_METHODS, url, route: '*' }, { constraints, handler: respondWith(respond) })
    add({ methods: WRITE_METHODS, url, route: '*' }, { constraints, ...beforeBody(respond) })
  }
}

// A visitor whom a guard refuses must not learn which pages exist, whatever the not-found handler sends.
function guardUnknownPaths(app: FastifyInstance, site: Site) {
  for (const path of ['/', '/*']) {
    const target = { methods: [...READ_METHODS, ...WRITE_METHODS], url: withBase(site.options.base, path), route: '*' }
    addRoute(app, target, {
      constraints: forOwnUnknown(app),
      // `done` is not called for other requests: they have their response, or get it from the handler.
      onRequest(request, reply, done) {
        guardUnknown(createNotFoundContext(site, request, reply)).catch(done)
      },
      handler: () => {},
    })
  }
}

// Refuses the request before Fastify reads its body, which Fastify may have no parser for.
function beforeBody(respond: Respond) {
  return { onRequest: respondWith(respond), handler: () => {} }
}

type Respond = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

// If it rejects, Fastify calls the error handlers.
function respondWith(respond: Respond) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    await respond(request, reply)
    return reply
  }
}

interface RouteTarget {
  methods: readonly string[]
  /** With the base. */
  url: string
  /** The site's route (`/products/[id]`). */
  route: string
}

type PageOptions = Pick<
  RouteOptions,
  'handler' | 'errorHandler' | 'onRequest' | 'preParsing' | 'bodyLimit' | 'constraints'
>

/** Adds a route for those of the methods that `server.ts` has no route for at this URL. */
function addRoute(app: FastifyInstance, { methods, url, route }: RouteTarget, options: PageOptions): RouteOptions {
  const method = methods.filter((name) => !app.hasRoute({ method: name, url }))
  const added: RouteOptions = {
    ...options,
    method,
    url: ownPath(app, url),
    prefixTrailingSlash: 'no-slash',
    config: pageRoute(route),
    schema: HIDDEN,
  }
  if (method.length > 0) app.route(added)
  return added
}

/** Adds the route of a page, and a second one for navigations. */
function addPageRoute(
  app: FastifyInstance,
  navigation: NavigationOptions,
  target: RouteTarget,
  options: PageOptions,
): RouteOptions {
  const route = addRoute(app, target, options)
  const method = [...route.method].filter((name) => name !== 'HEAD')
  const onRequest = [navigation.onRequest, ...[options.onRequest ?? []].flat()]
  const constraints = { ...route.constraints, ...navigation.constraints }
  if (method.length > 0) app.route({ ...route, ...navigation, method, onRequest, constraints })
  return route
}

const METHODS = [...READ_METHODS, ...WRITE_METHODS]

const refuse = (site: Site, request: FastifyRequest, reply: FastifyReply) =>
  void send(loadDocument(), createNavigationContext(site, request, reply))

type NavigationOptions = ReturnType<typeof navigationOptions>

/** Options that a page's route for navigations has in addition to those of the page. */
function navigationOptions(site: Site) {
  return {
    constraints: FOR_PAGES,
    exposeHeadRoute: false,
    // A route of the app, or a file, may match the path better than the page. The browser then loads it as a document.
    onRequest(request: FastifyRequest, reply: FastifyReply, done: () => void) {
      if (isPageFirst(site.app, request)) done()
      else refuse(site, request, reply)
    },
    onSend: replaceForeignResponses(site),
  }
}

/**
 * Responds to navigations to anything but a page: the browser loads a document. To be called after the routes of the
 * pages have been added, in a scope without the hooks of `server.ts`: there is nothing to protect.
 */
export function addOtherNavigations(app: FastifyInstance, site: Site) {
  for (const path of ['/', '/*']) {
    const url = withBase(site.options.base, path)
    const options = {
      ...navigationOptions(site),
      url: ownPath(app, url),
      prefixTrailingSlash: 'no-slash',
      schema: HIDDEN,
      config: pageRoute('*'),
      handler: () => {},
    } as const
    const method = METHODS.filter((name) => !app.hasRoute({ method: name, url, constraints: FOR_PAGES }))
    if (method.length > 0)
      app.route({ ...options, method, onRequest: (request, reply) => refuse(site, request, reply) })
    app.route({
      ...options,
      method: METHODS,
      constraints: FOR_VISITORS,
      onRequest(request, reply) {
        if (READ_METHODS.includes(request.method)) sendVisitorOn(request, reply)
        else refuse(site, request, reply)
      },
    })
  }
}

/** Redirects to the address without the mark, relative (a proxy may remove a prefix) and from `.` (no scheme). */
function sendVisitorOn({ url }: FastifyRequest, reply: FastifyReply) {
  const path = pathAndQuery(url)
  const from = path.lastIndexOf('/', pathOf(path).length) + 1
  reply
    .code(302)
    .header('location', `./${path.slice(from)}`)
    .send()
}

/**
 * Creates the last hook before the response to a navigation is sent. It keeps the response out of every cache and marks
 * Hydrant's own with the build's id. It replaces a response that is not Hydrant's: the browser then loads the
 * document.
 */
function replaceForeignResponses(site: Site): onSendHookHandler {
  return (request, reply, payload, done) => {
    const isOwn = isOwnResponse(reply)
    const line = isOwn || !isNavigation(request) ? null : replacementFor(request, reply)
    if (line !== null) dropResponse(payload, reply)
    forbidCaching(reply)
    if (isOwn || line !== null) reply.header(BUILD_HEADER, site.build.manifest.buildId)
    else reply.removeHeader(BUILD_HEADER)
    rememberCookies(reply)
    // Here, because session plugins set their cookies in hooks.
    if (reply.hasHeader(ACTED_HEADER) && reply.hasHeader('set-cookie')) reply.header(ACTED_HEADER, ACTED_WITH_COOKIE)
    done(null, line === null ? payload : `${JSON.stringify(line)}\n`)
  }
}

// Which routes of others the pages meet.

/** The pages of a site, and the path that the site is mounted at. */
interface MountedPages {
  base: string
  pages: readonly Route[]
}

/** Warns of pages behind a route of the app or another site. Returns their names. Call it before adding routes. */
export function warnOfHiddenPages(app: FastifyInstance, mounted: MountedPages): string[] {
  const unknown = ['GET', ...WRITE_METHODS].map((method) => ({ method, url: '/*', file: 'the 404 page' }))
  const hidden = findTaken(app, mounted.base, [...methodsOf(mounted.pages), ...unknown])
  if (hidden.length > 0)
    app.log.warn(
      { hidden },
      `other routes of the app hide pages of the site: ${hidden.join(', ')}. Remove these routes, or mount the site at another "base"`,
    )
  return hidden
}

/** Names the pages that routes of `server.ts` replace, at the level info: such a route is allowed. */
export function hintAtReplacedPages(
  app: FastifyInstance,
  { base, pages }: MountedPages,
  serverPlugin: string | null,
  hidden: readonly string[],
) {
  const replaced = findTaken(app, base, methodsOf(pages)).filter((one) => !hidden.includes(one))
  if (replaced.length > 0) app.log.info(`routes of ${serverPlugin} replace pages: ${replaced.join(', ')}`)
}

interface PageMethod {
  method: string
  url: string
  file: string | null
}

function methodsOf(pages: readonly Route[]): PageMethod[] {
  return pages.flatMap(({ url, page, actions }) =>
    ['GET', ...(actions.size > 0 ? WRITE_METHODS : [])].map((method) => ({ method, url, file: page.file })),
  )
}

/** Returns the names of those that a route has taken already. */
function findTaken(app: FastifyInstance, base: string, wanted: readonly PageMethod[]): string[] {
  return wanted
    .map((one) => ({ ...one, url: withBase(base, one.url) }))
    .filter(({ method, url }) => app.hasRoute({ method, url }))
    .map(({ method, url, file }) => `${method} ${url} (${file})`)
}
