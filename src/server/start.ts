import { requireToken } from './admin-option.ts'
import { resolveOptions } from './options.ts'
import { buildFolder, readConfig, readManifest } from './read-build.ts'

export interface StartInput {
  /** The site's folder. */
  dir: string
  /** Options as typed on the command line. */
  flags: Record<string, string | undefined>
  env: Record<string, string | undefined>
}

export interface StartedServer {
  /** Where it listens: `http://127.0.0.1:3000/shop`. */
  url: string
  close(): Promise<void>
}

/**
 * Serves a build until a signal says to stop: then no new connections are taken, requests in flight have `drainMs` to
 * finish, and the process ends with 0. A second signal ends it at once. An exception that nothing has caught is a failure
 * which ends the process in the same way, with 1. Throws the build's and the options' errors, HYD_PORT_IN_USE,
 * HYD_LISTEN_FAILED, and those of the admin listener: HYD_OPTION_ADMIN_TOKEN, HYD_ADMIN_PORT_IN_USE and
 * HYD_ADMIN_LISTEN_FAILED.
 */
export async function startServer({ dir, flags, env }: StartInput): Promise<StartedServer> {
  const folder = buildFolder(dir)
  readManifest(folder)
  const options = resolveOptions({ flags, env, config: await readConfig(folder) })
  if (options.admin) requireToken(options.admin)
  // What serves is loaded once all this is right.
  const { startAlone } = await import('./start-alone.ts')
  return startAlone({ dir, folder, options })
}
