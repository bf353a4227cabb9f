import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { withBase } from '../../shared/paths.ts'
import { ACTED_HEADER, BUILD_HEADER, type NavigationLine } from '../../shared/wire/navigation-protocol.ts'
import { RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import { setErrorHeaders } from '../http/headers.ts'
import { FOR_PAGES, FOR_VISITORS, isNavigation, isPageFirst } from '../http/navigation-strategy.ts'
import { HIDDEN, ownPath } from '../http/own-routes.ts'
import { pathAndQuery } from '../http/request-url.ts'
import { pageRoute } from '../http/route-config.ts'
import { isOwnAnswer, keepFromCaches, NAVIGATION_CONTENT, refuseNavigation } from '../pages/navigation-stream.ts'
import { isSentOnRedirect, isWebAddress } from '../thrown/redirect-location.ts'

const READ = ['GET', 'HEAD']
const METHODS = [...READ, 'POST', 'PUT', 'PATCH', 'DELETE']

const refuse = (site: Site, request: FastifyRequest, reply: FastifyReply) =>
  refuseNavigation(site, new RequestContext(request, reply, '*', site.failures))

/** What a page's route has in addition where it answers navigations. */
export function navigationOptions(site: Site) {
  return {
    constraints: FOR_PAGES,
    exposeHeadRoute: false,
    // A route of the app, or a file, that fits the address better has an answer of its own.
    onRequest(request: FastifyRequest, reply: FastifyReply, done: () => void) {
      if (isPageFirst(site.app, request)) done()
      else refuse(site, request, reply)
    },
    onSend: (...args: Parameters<onSendHookHandler>) => sealAnswer(site, ...args),
  }
}

/**
 * Answers navigations to what is no page: they load as documents. To be called when the pages have their routes, in a scope
 * without the hooks of `server.ts`, which have nothing to guard there.
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
        if (READ.includes(request.method)) sendVisitorOn(request, reply)
        else refuse(site, request, reply)
      },
    })
  }
}

/**
 * To the address without the mark. Relative, as a proxy may have taken a prefix away, and behind a dot, as what follows may
 * look like a scheme.
 */
function sendVisitorOn({ url }: FastifyRequest, reply: FastifyReply) {
  const path = pathAndQuery(url)
  const query = path.indexOf('?')
  const from = path.lastIndexOf('/', query === -1 ? path.length : query) + 1
  reply
    .code(302)
    .header('location', `./${path.slice(from)}`)
    .send()
}

/**
 * The last hook before an answer to a navigation goes out. It keeps the answer out of every cache, marks what Hydrant has
 * written, and tells the page to load the document where anything else answers.
 */
function sealAnswer({ build }: Site, ...[request, reply, payload, done]: Parameters<onSendHookHandler>) {
  const isOwn = isOwnAnswer(reply)
  const line = isOwn || !isNavigation(request) ? null : lineInstead(request, reply)
  if (line !== null) {
    discard(payload)
    setErrorHeaders(reply)
    reply.type(NAVIGATION_CONTENT)
    // Those below say something of a body, or of an address.
    if (reply.statusCode < 400) reply.code(200)
  }
  keepFromCaches(reply)
  if (isOwn || line !== null) reply.header(BUILD_HEADER, build.manifest.buildId)
  else reply.removeHeader(BUILD_HEADER)
  done(null, line === null ? payload : `${JSON.stringify(line)}\n`)
}

/** What a navigation is told in place of an answer that is not Hydrant's; null where that answer has to go out. */
function lineInstead({ method }: FastifyRequest, reply: FastifyReply): NavigationLine | null {
  const to = reply.getHeader('location')
  // `fetch` would follow it, load the target once more than the visitor does, and fail at another site's.
  if (to !== undefined && !READ.includes(method) && isWebAddress(String(to))) {
    if (isSentOnRedirect(reply.statusCode, method)) return ['redirect', String(to), 1]
    if (reply.statusCode >= 301 && reply.statusCode <= 303) return ['redirect', String(to)]
  }
  // After an action nothing may make the browser send the form again.
  return reply.hasHeader(ACTED_HEADER) ? null : ['load']
}

function discard(payload: unknown) {
  if (payload instanceof Readable) payload.destroy()
  else if (payload instanceof ReadableStream) payload.cancel().catch(() => {})
}
