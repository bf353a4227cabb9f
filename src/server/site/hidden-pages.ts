import type { FastifyInstance } from 'fastify'
import { withBase } from '../../shared/paths.ts'
import type { PreparedRoute } from '../pages/prepared-route.ts'
import { WRITE_METHODS } from './page-methods.ts'

/**
 * Warns of pages that visitors never see, because the app, or another site in it, has a route at the same path. To be
 * called before the site's own routes are added: routes of its `server.ts` may replace pages on purpose.
 */
export function warnOfHiddenPages(app: FastifyInstance, base: string, pages: readonly PreparedRoute[]) {
  const wanted = pages.flatMap(({ url, page, action }) =>
    ['GET', ...(action ? WRITE_METHODS : [])].map((method) => ({ method, url, file: page.file })),
  )
  const unknown = ['GET', ...WRITE_METHODS].map((method) => ({ method, url: '/*', file: 'the 404 page' }))
  const hidden = [...wanted, ...unknown]
    .map((one) => ({ ...one, url: withBase(base, one.url) }))
    .filter(({ method, url }) => app.hasRoute({ method, url }))
    .map(({ method, url, file }) => `${method} ${url} (${file})`)
  if (hidden.length === 0) return
  app.log.warn(
    { hidden },
    `other routes of the app hide pages of the site: ${hidden.join(', ')}. Remove these routes, or mount the site at another "base"`,
  )
}
