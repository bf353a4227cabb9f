import type { Worker } from 'node:cluster'
import { dirname } from 'node:path'
import { ownBundles } from '../build-output/manifest.ts'
import { ownOrigin } from '../errors/failure-record.ts'
import { createFailureListener, createFailures } from '../failures/failures.ts'
import { createSourceMapper } from '../failures/stacks/source-map.ts'
import { createJsonLogging, createLog } from '../log/logger.ts'
import type { Options } from '../options/options.ts'
import { createPrimaryChannel, createWorkerMetrics } from './primary-channel.ts'

/** The state of a start when it fails. */
export interface StartAttempt {
  /** The build's folder. */
  folder: string
  /** Null when the build itself could not be read. */
  buildId: string | null
  /** Null when the options could not be resolved. */
  options: Options | null
}

/**
 * Reports the error that keeps a worker from starting while others serve. Such an error is a failure with a digest, a
 * log line and a place in the ledger, because no one watches a terminal then. `name` is the worker's number.
 */
export async function reportStartFailure(
  thrown: unknown,
  { folder, buildId, options }: StartAttempt,
  worker: Worker,
  name: string | null,
): Promise<void> {
  const channel = createPrimaryChannel(worker)
  const log = createLog(createJsonLogging(options?.logLevel ?? 'info'))
  const mapper = createSourceMapper(dirname(folder), buildId === null ? [] : ownBundles(folder, buildId))
  const listener = options?.onFailure ? createFailureListener(options.onFailure, log) : null
  const metrics = createWorkerMetrics(channel)
  const sent: Promise<void>[] = []
  const failures = createFailures({
    mapper,
    files: { plugin: null, pageOf: () => undefined },
    release: options?.release || (buildId ?? 'unknown'),
    build: buildId,
    digestKey: options?.digestKey ?? '',
    origin: ownOrigin(name),
    keep(failure) {
      sent.push(channel.send({ kind: 'failed', failure }))
      metrics.countFailure(failure)
      listener?.notify(failure)
    },
  })
  failures.failProcess(thrown, log)
  await Promise.all([...sent, metrics.close(), listener?.settle()])
}
