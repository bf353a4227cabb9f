import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { withBase } from '../../shared/paths.ts'
import { BUILD_HEADER } from '../../shared/wire/navigation-protocol.ts'
import type { Site } from '../context/site.ts'
import { FOR_PAGES, FOR_VISITORS, isNavigation, isPageFirst } from '../http/navigation-strategy.ts'
import { HIDDEN, ownPath } from '../http/own-routes.ts'
import { READ_METHODS, WRITE_METHODS } from '../http/page-methods.ts'
import { dropResponse, replacementFor } from '../http/replaced-response.ts'
import { pathAndQuery, pathOf } from '../http/request-url.ts'
import { pageRoute } from '../http/route-config.ts'
import { createNavigationContext } from '../pages/create-context.ts'
import { isSentByHydrant, keepFromCaches, noteCookies, refuseNavigation } from '../pages/navigation-stream.ts'

const METHODS = [...READ_METHODS, ...WRITE_METHODS]

const refuse = (site: Site, request: FastifyRequest, reply: FastifyReply) =>
  refuseNavigation(createNavigationContext(site, request, reply))

/** Options that a page's route for navigations has in addition to those of the page. */
export function navigationOptions(site: Site) {
  return {
    constraints: FOR_PAGES,
    exposeHeadRoute: false,
    // A route of the app, or a file, may match the path better than the page. The browser then loads it as a document.
    onRequest(request: FastifyRequest, reply: FastifyReply, done: () => void) {
      if (isPageFirst(site.app, request)) done()
      else refuse(site, request, reply)
    },
    onSend: createSeal(site),
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

/**
 * Redirects a visitor to the address without the mark. The location is relative, as a proxy may have removed a
 * prefix, and begins with a dot, as the rest may look like a scheme.
 */
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
function createSeal(site: Site): onSendHookHandler {
  return (request, reply, payload, done) => {
    const isOwn = isSentByHydrant(reply)
    const line = isOwn || !isNavigation(request) ? null : replacementFor(request, reply)
    if (line !== null) dropResponse(payload, reply)
    keepFromCaches(reply)
    if (isOwn || line !== null) reply.header(BUILD_HEADER, site.build.manifest.buildId)
    else reply.removeHeader(BUILD_HEADER)
    noteCookies(reply)
    done(null, line === null ? payload : `${JSON.stringify(line)}\n`)
  }
}
