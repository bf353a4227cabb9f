import { dirname } from 'node:path'
import { ownBundles } from '../../src/server/build-output/loaded-bundles.ts'
import type { SourceFrame } from '../../src/server/errors/failure-record.ts'
import { mapStacks } from '../../src/server/failures/stacks/map-error.ts'
import { processFrames } from '../../src/server/failures/stacks/place-frames.ts'
import { createSourceMapper } from '../../src/server/failures/stacks/source-map.ts'
import type { SiteBuild } from '../build/site-builder.ts'
import { isKnownError } from '../terminal/format-error.ts'

/** What is wrong with a site that is being developed. */
export interface DevFailure {
  /** A title in a few words. */
  what: string
  error: unknown
  /** Where it lies in the source, with its code; null when a build's errors say so themselves, or nothing does. */
  source: SourceFrame | null
}

export const DOES_NOT_BUILD = 'The site does not build'

/** What has kept a build from starting. Leads the error's stack to the source. */
export function describeStart(error: unknown, { folder, manifest }: SiteBuild): DevFailure {
  const source = findSource(error, { folder, manifest })
  const plugin = manifest.serverPlugin
  const isPlugins = plugin !== null && (isKnownError(error) ? source?.file === plugin : true)
  return { what: isPlugins ? `${plugin} failed while it started` : 'The site does not start', error, source }
}

/** Where the source has thrown something outside of any request; leads the error's stack there. */
export function findSource(
  error: unknown,
  { folder, manifest }: Pick<SiteBuild, 'folder' | 'manifest'>,
): SourceFrame | null {
  const isStackless = isKnownError(error) && error.code === 'HYD_SERVER_THREW'
  const thrown = isStackless ? (error as Error).cause : error
  const source = mapStacks(thrown, folder, manifest.buildId)
  if (source || thrown instanceof Error) return source
  const mapper = createSourceMapper(dirname(folder), ownBundles(folder, manifest.buildId))
  const files = { plugin: manifest.serverPlugin, pageOf: () => undefined }
  const [place] = processFrames(mapper, files)
  if (!place?.frame) return null
  const code = mapper.codeAround(place.frame)
  return code ? { ...place.frame, code } : place.frame
}
