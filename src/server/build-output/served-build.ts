import type { FastifyBaseLogger } from 'fastify'

/** What a process has of the site. */
export interface ServedBuild {
  /** The option, or the build's id. */
  release: string
  /** The build's id. */
  build: string
}

/** What became of a reload. */
export interface Reload {
  /** When it was over, in milliseconds since 1970. */
  at: number
  /** Are all workers of the build that is on disk? */
  isDone: boolean
}

/** Warns when a new build goes by the name of the one before. */
export function warnOfSameRelease(
  before: ServedBuild | undefined,
  after: ServedBuild | undefined,
  log: Pick<FastifyBaseLogger, 'warn'>,
) {
  if (!before || !after || before.release !== after.release || before.build === after.build) return
  log.warn(
    { release: after.release, build: after.build },
    `the new build has the same release as the previous one, "${after.release}": HYDRANT_RELEASE cannot change while the process runs, so set "release" in hydrant.config.ts`,
  )
}
