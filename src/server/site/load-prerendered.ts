import type { FastifyInstance } from 'fastify'
import type { Build } from '../build-output/load-build.ts'
import { openPrerendered, type PrerenderedPages } from '../cache/prerendered/prerendered-pages.ts'

/** The values that the bytes of a document depend on, apart from the build. */
interface Surroundings {
  base: string
  publicEnv: string | null
}

/**
 * Returns the responses that the build contains. Returns null if it has none, or if they were rendered for another base
 * or with other public variables: the pages are then rendered at their first request.
 */
export function loadPrerendered(
  { log }: FastifyInstance,
  { folder, manifest }: Build,
  { base, publicEnv }: Surroundings,
): PrerenderedPages | null {
  const prerendered = openPrerendered(folder)
  if (prerendered === null || prerendered.index.build !== manifest.buildId) return null
  const reason = differenceOf(prerendered, { base, publicEnv })
  if (reason === null) return prerendered
  log.info(`the prerendered pages are rendered again, each at its first request: ${reason}`)
  return null
}

function differenceOf({ index }: PrerenderedPages, { base, publicEnv }: Surroundings): string | null {
  if (index.base !== base) return `the build has the base ${index.base}, and the server ${base}`
  return index.publicEnv === publicEnv ? null : 'the public environment variables differ from those of the build'
}
