import type { FastifyBaseLogger } from 'fastify'

/** The release and the build that a process serves. */
export interface ServedBuild {
  /** The option `release`, or the build's id. */
  release: string
  /** The build's id. */
  build: string
}

/** The result of a reload. */
export interface Reload {
  /** When it ended, in milliseconds since 1970. */
  at: number
  /** Whether all workers now serve the build on the disk. */
  isDone: boolean
}

/** Warns if a new build has the same release as the previous one. */
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
