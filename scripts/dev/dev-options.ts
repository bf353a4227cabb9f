import { isDeepStrictEqual } from 'node:util'
import { createEnvFiles } from '../../src/server/options/env-files.ts'
import type { Options } from '../../src/server/options/options.ts'
import { type OptionSources, resolveOptions, withoutServiceLinks } from '../../src/server/options/resolve-options.ts'
import { pickPublic } from '../../src/shared/public-env.ts'
import { withDevLedger } from '../dev-ledger.ts'

export interface DevOptionsInput {
  /** The site's folder. */
  dir: string
  flags: Record<string, string | undefined>
  env: Record<string, string | undefined>
}

/** The options of a site in development. They change with its configuration and its environment. */
export interface DevOptions {
  /** Returns the current options; before `configure`, without those of the configuration. */
  current(): Options
  /** Returns whether the port is the default: no flag, no variable and no configuration sets it. */
  isDefaultPort(): boolean
  /** Returns the flags, the variables and the configuration that the options come from. */
  sources(): OptionSources
  /** Uses the site's configuration. Throws HYD_OPTION_…. */
  configure(config: Record<string, unknown>): void
  /** Resolves when the first configuration has been used. */
  configured: Promise<void>
  /** Reads the files with environment variables. */
  loadEnv(): EnvChange
}

/** The variables that have changed: none, some that only the server has, or some that browsers get, too. */
export type EnvChange = 'none' | 'server' | 'browser'

/** Throws HYD_OPTION_… for flags and the environment. */
export function createDevOptions({ dir, flags, env }: DevOptionsInput): DevOptions {
  const files = createEnvFiles(dir, 'development', env)
  files.load()
  const read = (config: Record<string, unknown>) =>
    withReports(withDevLedger(resolveOptions({ flags, env, config: { host: 'localhost', ...config } })))
  let options = read({})
  let configuration: Record<string, unknown> = {}
  let resolve = () => {}
  const configured = new Promise<void>((done) => {
    resolve = done
  })
  return {
    current: () => options,
    configured,
    isDefaultPort: () =>
      configuration.port === undefined && !flags.port && !env.PORT && !withoutServiceLinks(env).HYDRANT_PORT,
    sources: () => ({ flags, env, config: configuration }),
    configure(config) {
      options = read(config)
      configuration = config
      resolve()
    },
    loadEnv() {
      const before = { ...env }
      files.load()
      if (isDeepStrictEqual(before, { ...env })) return 'none'
      return isDeepStrictEqual(pickPublic(before), pickPublic(env)) ? 'server' : 'browser'
    },
  }
}

// The overlay shows failures in the browser only when it reports them.
function withReports(options: Options): Options {
  return { ...options, reports: { ...options.reports, enabled: true, respectPrivacySignals: false } }
}
