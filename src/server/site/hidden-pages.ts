import type { FastifyInstance } from 'fastify'
import { withBase } from '../../shared/paths.ts'
import type { Route } from '../build-output/load-build.ts'
import { WRITE_METHODS } from '../http/route-config.ts'

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
