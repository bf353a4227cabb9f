import type { LiveBuild } from '../build-output/live-build.ts'
import type { Site } from '../context/site.ts'
import { type PreparedRoute, prepareRoute } from '../pages/prepared-route.ts'

/**
 * Adds the hook that brings the code of a page up to date before each request for it. If the code cannot be loaded, the
 * error is shown inside the layouts that work.
 */
export function addLiveUpdates({ app, build }: Site, pages: readonly PreparedRoute[], live: LiveBuild) {
  const byId = new Map(pages.map((page) => [page.id, page]))
  app.addHook('onRequest', async ({ routeOptions }) => {
    if (routeOptions.config?.hydrant !== 'page') return
    const page = byId.get(routeOptions.config.hydrantRoute ?? '')
    if (page) {
      const route = await live.refreshRoute(page.id).catch(async (error: unknown) => {
        const working = await live.findWorkingRoute(page.id)
        if (working) Object.assign(page, prepareRoute(working, build))
        throw error
      })
      if (route) Object.assign(page, prepareRoute(route, build))
    } else {
      const current = await live.refreshRoot().catch(async (error: unknown) => {
        Object.assign(build.root, await live.findWorkingRoot())
        throw error
      })
      if (!current) return
      Object.assign(build.root, current.root)
      build.guardedFolders = current.guardedFolders
    }
  })
}
