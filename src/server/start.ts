import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { buildFolder, readConfig, readManifest } from './build-output/read-build.ts'
import { SUCCESSOR_VARIABLE, WORKER_VARIABLE } from './cluster/messages.ts'
import type { Attempt } from './cluster/report-start-failure.ts'
import { requireToken } from './options/admin-address.ts'
import { resolveOptions } from './options/resolve-options.ts'

export interface StartInput {
  /** The site's folder. */
  dir: string
  /** Options as typed on the command line. */
  flags: Record<string, string | undefined>
  env: Record<string, string | undefined>
  /** What is to be logged of how it was started; null for nothing (null). */
  note?: string | null
}

/**
 * Serves a build until a signal says to stop: then no new connections are taken, requests in flight have `drainMs` to
 * finish, and the process ends with 0. A second signal ends it at once. An exception that nothing has caught is a failure
 * which ends the process in the same way, with 1. With several workers it only looks after them. Throws the build's and the
 * options' errors, HYD_PORT_IN_USE, HYD_SOCKET_IN_USE, HYD_LISTEN_FAILED, HYD_WORKERS_NESTED, and those of the admin listener:
 * HYD_OPTION_ADMIN_TOKEN, HYD_ADMIN_PORT_IN_USE and HYD_ADMIN_LISTEN_FAILED. Stacks lead to the site's source.
 */
export async function startServer(input: StartInput): Promise<void> {
  const attempt: Attempt = { folder: buildFolder(input.dir), buildId: null, options: null }
  const isSuccessor = input.env[SUCCESSOR_VARIABLE] !== undefined
  // Read here, as the worker removes it from its environment.
  const name = input.env[WORKER_VARIABLE] ?? null
  try {
    await serveBuild(input, attempt)
  } catch (error) {
    const { worker } = cluster
    if (worker && isSuccessor) {
      await (await import('./cluster/report-start-failure.ts')).tellUnable(error, attempt, worker, name)
      process.exit(1)
    }
    // The channel would keep a process that has nothing left to do.
    worker?.disconnect()
    const { folder, buildId } = attempt
    if (buildId !== null) (await import('./failures/stacks/map-error.ts')).mapStacks(error, folder, buildId)
    throw error
  }
}

async function serveBuild({ dir, flags, env, note = null }: StartInput, attempt: Attempt): Promise<void> {
  const { folder } = attempt
  attempt.buildId = readManifest(folder).buildId
  const options = resolveOptions({ flags, env, config: await readConfig(folder) })
  attempt.options = options
  if (options.admin) requireToken(options.admin)
  const input = { dir, folder, options, note }
  // What serves is loaded once all this is right, and only by a process that serves.
  const worker = env[WORKER_VARIABLE]
  if (worker !== undefined) return (await import('./cluster/start-worker.ts')).startWorker(input, worker)
  const count = options.workers === 'auto' ? availableParallelism() : options.workers
  if (count > 1) return (await import('./cluster/start-primary.ts')).startPrimary(input, count)
  return (await import('./start-single.ts')).startSingle(input)
}
