import type { BuildSiteOptions, SiteBuild } from '../scripts/build/build-site.ts'
import { shareCompression } from './compress-once.ts'
import { FAST } from './fast-env.ts'

let sharing = 0

// Before the build is imported. A test that imports the build itself compresses everything.
shareCompression(() => sharing > 0)
const { buildSite } = await import('../scripts/build/build-site.ts')

/** Builds a site like `buildSite`, but compresses no file that any test has compressed before. */
export async function buildSharing(options: BuildSiteOptions): Promise<SiteBuild> {
  return await whileSharing(() => buildSite(options))
}

/**
 * Runs work whose builds compress no file that any test has compressed before. Its modules are imported after this one.
 */
export async function whileSharing<Result>(work: () => Promise<Result>): Promise<Result> {
  // The process that prerenders pages has the environment of this one, and none of its options.
  if (sharing++ === 0) process.env.NODE_OPTIONS = FAST.NODE_OPTIONS
  try {
    return await work()
  } finally {
    if (--sharing === 0) delete process.env.NODE_OPTIONS
  }
}
