import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LayoutChain, LiveBuild } from '../build-output/load-build.ts'
import type { Site } from '../context/site.ts'
import { setWorkingChain } from '../pages/error-handler.ts'
import { type Prepare, prepareRoute } from '../pages/prepared-route.ts'

/**
 * Adds the hook that brings code up to date before each request that may render it: that of a page, and of the root for
 * other paths and for errors of the routes of `server.ts`. If the code cannot be loaded, the response shows the error inside
 * the layouts that can be loaded. A page that cannot be built is replaced.
 */
export function addLiveUpdates({ app, build }: Site, prepare: Prepare, live: LiveBuild) {
  const byId = new Map(build.routes.map((page) => [page.id, page]))
  app.addHook('onRequest', async (request, reply) => {
    const { hydrant, hydrantRoute = '' } = request.routeOptions.config ?? {}
    // A route of `server.ts` renders a component only if it fails.
    if (typeof hydrant !== 'string') return refreshRoot(request).catch(() => {})
    if (hydrant !== 'page') return
    const page = byId.get(hydrantRoute)
    const broken = live.brokenPage(page?.id ?? '')
    if (broken !== null) return sendBroken(broken, request, reply)
    if (page) {
      const route = await loadFor(
        request,
        () => live.refreshRoute(page.id),
        async () => {
          const working = await live.findWorkingRoute(page.id)
          return working && prepareRoute(working, build)
        },
      )
      if (route) Object.assign(prepare(page), prepareRoute(route, build))
    } else await refreshRoot(request)
  })

  async function refreshRoot(request: FastifyRequest) {
    const current = await loadFor(request, live.refreshRoot, live.findWorkingRoot)
    if (!current) return
    Object.assign(build.root, current.root)
    build.guardedFolders = current.guardedFolders
  }
}

/** Sends a page without the hooks of the site and its policy: the scripts of the page are its own. */
function sendBroken(page: string, { method }: FastifyRequest, reply: FastifyReply) {
  reply.hijack()
  reply.raw.writeHead(500, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  reply.raw.end(method === 'HEAD' ? undefined : page)
}

/** Loads code. If that fails, the layouts that `findWorking` returns are only for the response to this request. */
async function loadFor<Code>(
  request: FastifyRequest,
  load: () => Promise<Code>,
  findWorking: () => Promise<LayoutChain | null>,
): Promise<Code> {
  try {
    return await load()
  } catch (error) {
    const chain = await findWorking().catch(() => null)
    if (chain) setWorkingChain(request, chain)
    throw error
  }
}
