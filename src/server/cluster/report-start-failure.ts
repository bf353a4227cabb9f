import type { Worker } from 'node:cluster'
import { dirname } from 'node:path'
import Fastify from 'fastify'
import { ownBundles } from '../build-output/loaded-bundles.ts'
import { ownOrigin } from '../errors/process-origin.ts'
import { createFailures } from '../failures/failures.ts'
import { createFailureListener } from '../failures/on-failure.ts'
import { createSourceMapper } from '../failures/stacks/source-map.ts'
import { createJsonLogging } from '../log/logger.ts'
import type { Options } from '../options/options.ts'
import { createLink } from './primary-channel.ts'
import { createCounting } from './worker-metrics.ts'

/** What was known when something could not start. */
export interface Attempt {
  /** The build's folder. */
  folder: string
  /** Null when the build itself could not be read. */
  buildId: string | null
  /** Null when they could not be resolved. */
  options: Options | null
}

/**
 * Tells of what keeps a worker from starting while others serve: nobody looks at a terminal, so it is a failure like any other,
 * with a digest, a line of the log, and its place in the ledger.
 */
export async function tellUnable(
  thrown: unknown,
  { folder, buildId, options }: Attempt,
  worker: Worker,
  name: string | null,
): Promise<void> {
  const link = createLink(worker)
  const { log } = Fastify(createJsonLogging(options?.logLevel ?? 'info'))
  const mapper = createSourceMapper(dirname(folder), buildId === null ? [] : ownBundles(folder, buildId))
  const listener = options?.onFailure ? createFailureListener(options.onFailure, log) : null
  const counting = createCounting(link)
  const sent: Promise<void>[] = []
  const origin = ownOrigin(name)
  const failures = createFailures({
    mapper,
    files: { plugin: null, pageOf: () => undefined },
    release: options?.release || (buildId ?? 'unknown'),
    build: buildId,
    digestKey: options?.digestKey ?? '',
    keep(failure) {
      Object.assign(failure, origin)
      sent.push(link.send({ kind: 'failed', failure }))
      counting.countFailure(failure)
      listener?.notify(failure)
    },
  })
  failures.failProcess(thrown, log)
  await Promise.all([...sent, counting.close(), listener?.settle()])
}
