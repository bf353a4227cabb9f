import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { DATA_PATH, NAVIGATION_TYPE, type NavigationLine } from '../shared/navigation.ts'
import { withBase } from '../shared/paths.ts'
import { NO_STORE } from './headers.ts'
import { isWebAddress, pathAndQuery } from './location.ts'
import { NavigationStream } from './navigation.ts'
import type { Site } from './site.ts'
import { Visit } from './visit.ts'

const navigations = new WeakSet<IncomingMessage>()

/** Is it a page of ours that asks, to go somewhere without loading a document? */
export function isNavigation({ raw }: FastifyRequest): boolean {
  return navigations.has(raw)
}

const forwarded = new WeakSet<FastifyRequest>()

/** Has it gone through the router once more, as another request? */
export function isForwarded(request: FastifyRequest): boolean {
  return forwarded.has(request)
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Answers `/_hydrant/data/<path>` as the page at that path does: the request goes through the router once more, under the page's
 * own URL, so that whatever hooks guard that URL guard its data as well. Paths of no page load as documents.
 *
 * @param urls The pages' routes as Fastify writes them, with the base.
 */
export function addDataRoutes(app: FastifyInstance, urls: readonly string[], site: Site) {
  const { base } = site.options
  const prefix = withBase(base, DATA_PATH)
  for (const url of urls) {
    const path = base === '/' ? url : url.slice(base.length) || '/'
    addRoute(prefix + path, (request) => {
      const { raw } = request
      const url = pathAndQuery(raw.url ?? '')
      // The router also finds the way when the prefix is spelled with codes; where it ends is then hard to say.
      if (!url.startsWith(prefix)) return null
      raw.url = pageUrl(url, prefix, base)
      navigations.add(raw)
      return raw
    })
  }
  addRoute(`${prefix}/*`, () => null)

  function addRoute(path: string, redirect: (request: FastifyRequest) => IncomingMessage | null) {
    if (METHODS.every((method) => app.hasRoute({ method, url: path }))) return
    app.route({
      method: METHODS,
      url: path.slice(app.prefix.length),
      exposeHeadRoute: false,
      // The second way through the router is the one that counts.
      logLevel: 'silent',
      async onRequest(request, reply) {
        // Once: an address could stand in itself a thousand times.
        const raw = isNavigation(request) ? null : redirect(request)
        if (raw === null) return refuseNavigation(site, new Visit(request, reply, '*', site.failures))
        forwarded.add(request)
        reply.hijack()
        app.routing(raw, reply.raw)
        return reply
      },
      handler: () => {},
    })
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on the routes of Hydrant's pages. */
    hydrant?: 'page' | 'health'
  }
}

/**
 * Routes of `server.ts` and files answer no navigation: the browser asks them itself, and they run once. To be called
 * before they are added.
 */
export function keepNavigationsToPages(app: FastifyInstance, site: Site) {
  app.addHook('onRoute', (route) => {
    if (route.config?.hydrant === 'page') return
    const refuse = async (request: FastifyRequest, reply: FastifyReply) =>
      isNavigation(request) ? refuseNavigation(site, new Visit(request, reply, '*', site.failures)) : undefined
    route.onRequest = [refuse, ...[route.onRequest ?? []].flat()]
  })
}

/**
 * A redirect that an action, or a hook before it, has sent by itself is told as a line: `fetch` would follow it, load the
 * target once more than the visitor does, and fail at another site's, though the action has run.
 */
export const tellRedirect: onSendHookHandler = (request, reply, payload, done) => {
  const to = reply.getHeader('location')
  // 307 and 308 send it again, which is what they are for.
  const isToBeAsked = reply.statusCode >= 301 && reply.statusCode <= 303
  if (to === undefined || !isToBeAsked || !isNavigation(request) || !isWebAddress(String(to)))
    return done(null, payload)
  const line: NavigationLine = ['redirect', String(to)]
  reply.code(200).type(`${NAVIGATION_TYPE}; charset=utf-8`).header('cache-control', NO_STORE)
  reply.removeHeader('location').removeHeader('content-length')
  done(null, `${JSON.stringify(line)}\n`)
}

function pageUrl(url: string, prefix: string, base: string): string {
  const rest = url.slice(prefix.length)
  if (base === '/') return rest
  return base + rest.replace(/^\/(?=\?|$)/, '')
}

/** Tells the page to load a document. */
export function refuseNavigation(site: Site, visit: Visit) {
  const stream = new NavigationStream(site, visit)
  stream.send(['load'])
  stream.end()
  return visit.reply
}
