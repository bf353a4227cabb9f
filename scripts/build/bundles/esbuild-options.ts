import type { Loader, Plugin } from 'esbuild'
import { createHydrantError, showValue } from '../../../src/server/errors/hydrant-error.ts'
import { hintAtClosest } from '../../../src/server/util/closest-match.ts'
import type { StylesheetOptions } from '../../styles.ts'
import type { CompileReact } from '../esbuild/react-compiler.ts'

/** The option `esbuild` of hydrant.config.ts. */
export interface EsbuildSettings {
  plugins: Plugin[]
  loader: Record<string, Loader>
  define: Record<string, string>
  alias: Record<string, string>
  /** The options of the plugins of `hydrant/styles`. */
  stylesheets: StylesheetOptions[]
  /** Compiles modules for the browser with React Compiler; null if the site does not use it. */
  compileReact: CompileReact | null
}

/** The settings of a site that sets nothing. */
export const NO_SETTINGS: EsbuildSettings = {
  plugins: [],
  loader: {},
  define: {},
  alias: {},
  stylesheets: [],
  compileReact: null,
}

const NAMES = ['plugins', 'loader', 'define', 'alias']

/** Reads the option `esbuild` of the configuration. Throws HYD_OPTION_UNKNOWN and HYD_OPTION_INVALID. */
export async function readEsbuildSettings(config: unknown): Promise<Omit<EsbuildSettings, 'compileReact'>> {
  const { esbuild: setting } = requireRecord('hydrant.config.ts', config) as { esbuild?: unknown }
  const value: unknown = typeof setting === 'function' ? await setting() : setting
  const options = requireRecord('esbuild', value ?? {})
  for (const name of Object.keys(options)) {
    if (NAMES.includes(name)) continue
    const hint = hintAtClosest(name, NAMES, (closest) => `"esbuild.${closest}"`)
    throw createHydrantError('HYD_OPTION_UNKNOWN', [`esbuild.${name}`, hint])
  }
  const plugins = requirePlugins(options.plugins ?? [])
  return {
    // esbuild refuses properties that it does not know.
    plugins: plugins.map(withoutOwnModules),
    stylesheets: plugins.flatMap(stylesheetsOf),
    // esbuild checks the names of loaders.
    loader: requireStrings('esbuild.loader', options.loader) as Record<string, Loader>,
    define: requireStrings('esbuild.define', options.define),
    alias: requireStrings('esbuild.alias', options.alias),
  }
}

function requireRecord(name: string, value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw createHydrantError('HYD_OPTION_INVALID', [name, 'an object', showValue(value)])
}

function requireStrings(name: string, value: unknown = {}): Record<string, string> {
  const entries = Object.entries(requireRecord(name, value)).map(([key, text]): [string, string] => {
    if (typeof text === 'string') return [key, text]
    throw createHydrantError('HYD_OPTION_INVALID', [`${name}["${key}"]`, 'a string', showValue(text)])
  })
  return Object.fromEntries(entries)
}

function requirePlugins(value: unknown): Plugin[] {
  const plugins: unknown[] = Array.isArray(value) ? value : []
  if (plugins.length === 0 && !Array.isArray(value)) {
    throw createHydrantError('HYD_OPTION_INVALID', ['esbuild.plugins', 'a list of esbuild plugins', showValue(value)])
  }
  for (const [index, plugin] of plugins.entries()) {
    const { name, setup } = requireRecord(`esbuild.plugins[${index}]`, plugin)
    if (typeof name !== 'string' || typeof setup !== 'function') {
      throw createHydrantError('HYD_OPTION_INVALID', [
        `esbuild.plugins[${index}]`,
        'an esbuild plugin',
        showValue(plugin),
      ])
    }
  }
  // The loop above has checked the two properties that esbuild requires of a plugin.
  return plugins as Plugin[]
}

/** Returns what a plugin of `hydrant/styles` compiles. */
function stylesheetsOf(plugin: Plugin): StylesheetOptions[] {
  return 'stylesheets' in plugin ? [plugin.stylesheets as StylesheetOptions] : []
}

/** Keeps a plugin from Hydrant's modules: a filter without a namespace matches names like `pages/docs/intro.mdx`. */
function withoutOwnModules({ name, setup }: Plugin): Plugin {
  return {
    name,
    setup: (build) =>
      setup({
        ...build,
        onLoad(options, callback) {
          build.onLoad(options, (args) => (args.namespace.startsWith('hydrant-') ? null : callback(args)))
        },
      }),
  }
}
