import cluster from 'node:cluster'
import { dirname } from 'node:path'
import { ownBundles } from '../build-output/manifest.ts'
import { buildFolder, readConfig, readManifest } from '../build-output/read-build.ts'
import { createEnvFiles, type EnvFiles } from '../options/env-files.ts'
import { requireToken } from '../options/options.ts'
import { nameSources, resolveOptions } from '../options/resolve-options.ts'
import { SUCCESSOR_VARIABLE, WORKER_VARIABLE } from './messages.ts'
import type { StartAttempt } from './report-start-failure.ts'
import type { ServeInput } from './start-single.ts'

export interface StartInput {
  /** The site's folder. */
  dir: string
  /** Options as typed on the command line. */
  flags: Record<string, string | undefined>
  /** The environment. The variables of the files in the site's folder are added to it. */
  env: NodeJS.ProcessEnv
  /** A note on how the server was started, which is logged as a warning; null for none (null). */
  note?: string | null
}

/**
 * Serves a build until a signal stops it. The server then takes no new connections, requests in flight have `drainMs`
 * to finish, and the process ends with 0. A second signal ends the process at once. An uncaught exception is a failure
 * that ends the process in the same way, with 1. With several workers, this process is their primary.
 *
 * Throws the errors of the build and of the options, HYD_START_TIMEOUT, HYD_PORT_IN_USE, HYD_SOCKET_IN_USE,
 * HYD_LISTEN_FAILED, HYD_WORKERS_NESTED, and those of the admin listener: HYD_OPTION_ADMIN_TOKEN,
 * HYD_ADMIN_PORT_IN_USE and HYD_ADMIN_LISTEN_FAILED. The stacks of these errors are mapped to the site's source.
 */
export async function startServer(input: StartInput): Promise<void> {
  const attempt: StartAttempt = { folder: buildFolder(input.dir), buildId: null, options: null }
  const isSuccessor = input.env[SUCCESSOR_VARIABLE] !== undefined
  // Read here, because the worker removes the variable from its environment.
  const name = input.env[WORKER_VARIABLE] ?? null
  const envFiles = createEnvFiles(input.dir, 'production', input.env)
  // A worker has the variables from the primary.
  if (name === null) envFiles.load()
  try {
    await serveBuild(input, attempt, isSuccessor, envFiles)
  } catch (error) {
    const { worker } = cluster
    if (worker && isSuccessor) {
      await (await import('./report-start-failure.ts')).reportStartFailure(error, attempt, worker, name)
      process.exit(1)
    }
    // The open channel would keep the process running.
    worker?.disconnect()
    const { folder, buildId } = attempt
    if (buildId !== null) await mapStartError(error, folder, buildId)
    throw error
  }
}

// The modules that map stacks are loaded only for an error.
async function mapStartError(error: unknown, folder: string, buildId: string) {
  const { mapStacks, createSourceMapper } = await import('../failures/stacks/source-map.ts')
  mapStacks(error, createSourceMapper(dirname(folder), ownBundles(folder, buildId)))
}

async function serveBuild(
  { dir, flags, env, note = null }: StartInput,
  attempt: StartAttempt,
  isSuccessor: boolean,
  envFiles: EnvFiles,
): Promise<void> {
  const { folder } = attempt
  const manifest =
    isSuccessor && cluster.worker
      ? await (await import('./start-worker.ts')).takeBuild(cluster.worker, folder)
      : readManifest(folder)
  attempt.buildId = manifest.buildId
  const sources = { flags, env, config: await readConfig(folder) }
  const options = resolveOptions(sources)
  attempt.options = options
  try {
    await serveWith({ dir, folder, manifest, options, note }, env, envFiles)
  } catch (error) {
    throw nameSources(error, sources)
  }
}

async function serveWith(input: ServeInput, env: StartInput['env'], envFiles: EnvFiles): Promise<void> {
  const { options } = input
  if (options.admin) requireToken(options.admin)
  // The modules that serve are loaded only now, when the options are valid, and each only by the process that needs it.
  const worker = env[WORKER_VARIABLE]
  if (worker !== undefined) return (await import('./start-worker.ts')).startWorker(input, worker)
  // Loaded only where it is used.
  if (options.admin && options.admin.port !== null)
    await (await import('../admin/admin-port.ts')).tryAdminPort(options.admin)
  const count =
    options.workers === 'auto' ? (await import('./available-processors.ts')).availableProcessors() : options.workers
  if (count > 1) return (await import('./start-primary.ts')).startPrimary(input, count, envFiles)
  return (await import('./start-single.ts')).startSingle(input)
}
