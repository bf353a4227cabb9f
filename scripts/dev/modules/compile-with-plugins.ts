import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { assetExtensions, bundleLoaders, shared } from '../../build/bundles/bundle-options.ts'
import type { EsbuildSettings } from '../../build/bundles/esbuild-options.ts'
import { createModuleUrls, type ModuleUrlsInput } from '../../build/bundles/module-urls.ts'
import { type Assets, createAssets, type FileOnDisk } from '../../build/esbuild/assets.ts'
import { createBrowserGuard } from '../../build/esbuild/browser-guard.ts'
import { VIRTUAL_ID } from '../../build/esbuild/bundler.ts'
import { type CssCompiler, createCss } from '../../build/esbuild/css.ts'
import { createHrefBinding, createHydrantModules } from '../../build/esbuild/hydrant-modules.ts'
import { createImageModules, readPlainImage } from '../../build/esbuild/image-modules.ts'
import { createReactCompiler } from '../../build/esbuild/react-compiler.ts'
import { createSvgComponents } from '../../build/esbuild/svg-component.ts'
import { type BundleTarget, exportMembers } from '../../build/esbuild/virtual-modules.ts'
import type { ObservedPlugins } from './observe-plugins.ts'
import type { ScriptSettings } from './script-settings.ts'

export interface CompilerInput {
  siteDir: string
  settings: EsbuildSettings
  plugins: ObservedPlugins
  cssCompiler: CssCompiler
}

const ENTRY = 'hydrant-module'

export function createPluginCompiler(input: CompilerInput, settingsOf: (path: string) => Promise<ScriptSettings>) {
  const { siteDir, settings, plugins } = input
  /** The assets that each module uses, by their names. */
  const assets = new Map<string, ReadonlyMap<string, Uint8Array>>()
  const urlsInput = { siteDir, settings, plugins: plugins.plugins, onLoaded: plugins.watch }
  return {
    /** Compiles a module. Rejects with esbuild's BuildFailure. */
    async compile(target: BundleTarget, id: string, options: BuildOptions) {
      const extensions = assetExtensions(settings)
      const path = resolve(siteDir, id)
      const { tsconfig } = await settingsOf(path)
      const emitted = [
        createImageModules(siteDir, target, readPlainImage),
        createAssets(target, extensions),
        ...(target === 'browser' ? [createDevModuleUrls({ ...urlsInput, packageModules: new Set([path]) })] : []),
      ]
      const result = await build({
        ...shared({ siteDir, options: settings }),
        entryPoints: [{ in: `${ENTRY}:${id}`, out: 'module' }],
        outdir: siteDir,
        // esbuild does not look for it, because a plugin resolves the module.
        ...(tsconfig !== null && !VIRTUAL_ID.test(id) ? { tsconfig } : {}),
        loader: { ...(target === 'server' ? { '.css': 'empty' } : {}), ...bundleLoaders(settings) },
        plugins: [
          entryPlugin(siteDir),
          ...plugins.plugins,
          ...pluginsOf(target, input),
          ...emitted.map(({ plugin }) => plugin),
          ...(target === 'browser' && settings.compileReact ? [createReactCompiler(settings.compileReact)] : []),
        ],
        ...options,
      })
      const files = await readFiles(emitted)
      if (files.size > 0) assets.set(`${target} ${id}`, files)
      return result
    },
    /** The assets that the compiled modules use, by their names in the client folder. */
    asset(name: string) {
      for (const files of assets.values()) {
        const contents = files.get(name)
        if (contents) return contents
      }
      return undefined
    },
  }
}

async function readFiles(emitted: readonly Pick<Assets<Uint8Array | FileOnDisk>, 'files'>[]) {
  const entries = emitted.flatMap(({ files }) => [...files])
  const read = entries.map(async ([name, file]): Promise<[string, Uint8Array]> => {
    return [name, 'path' in file ? await readFile(file.path) : file]
  })
  return new Map(await Promise.all(read))
}

function pluginsOf(target: BundleTarget, { siteDir, settings, cssCompiler }: CompilerInput): Plugin[] {
  const href = target === 'server' ? [createHrefBinding(siteDir)] : []
  const json = '.json' in settings.loader ? [] : [createJsonModules(target)]
  return [...href, ...json, createCss(siteDir, target, cssCompiler), createSvgComponents(siteDir)]
}

/** Makes esbuild start with a module that a plugin may provide. */
function entryPlugin(siteDir: string): Plugin {
  return {
    name: 'hydrant-module-entry',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${ENTRY}:`) }, ({ path }) => {
        const id = path.slice(ENTRY.length + 1)
        const [, namespace, rest = ''] = VIRTUAL_ID.exec(id) ?? []
        return namespace === undefined ? { path: resolve(siteDir, id) } : { path: rest, namespace }
      })
    },
  }
}

/** The names of a larger object would be the code that takes long. */
const MAX_KEYS = 1_000

/**
 * Creates the plugin that makes a JSON file a module which parses a text. esbuild writes its data as code, and reading that
 * code in the steps that follow blocks the server for seconds if the file has megabytes.
 */
function createJsonModules(target: BundleTarget): Plugin {
  return {
    name: 'hydrant-json-modules',
    setup(build) {
      build.onLoad({ filter: /\.json$/, namespace: 'file' }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        const keys = keysOf(text)
        // esbuild reports errors with their place.
        if (keys === null || keys.length > MAX_KEYS) return null
        const value = `JSON.parse(${JSON.stringify(text)})`
        return {
          contents: target === 'server' ? `module.exports = ${value}\n` : writeModule(value, keys),
          loader: 'js',
        }
      })
    },
  }
}

/** Returns the keys of an object, an empty list for other data, and null for a text that is not JSON. */
function keysOf(text: string): string[] | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
  } catch {
    return null
  }
}

function writeModule(value: string, keys: readonly string[]): string {
  const names = keys.filter((key) => key !== 'default')
  return `const data = ${value}\nexport default data\n${exportMembers('data', names)}`
}

interface DevModuleUrlsInput extends Pick<ModuleUrlsInput, 'siteDir' | 'onLoaded' | 'packageModules'> {
  settings: EsbuildSettings
  /** The site's esbuild plugins. */
  plugins: readonly Plugin[]
}

/** Publishes the files that modules for browsers name by `new URL('./file', import.meta.url)`. */
export function createDevModuleUrls({ siteDir, settings, plugins, ...rest }: DevModuleUrlsInput): Assets {
  return createModuleUrls({
    ...rest,
    siteDir,
    extensions: assetExtensions(settings),
    compileReact: settings.compileReact,
    options: {
      ...shared({ siteDir, options: settings }),
      platform: 'browser',
      target: 'es2022',
      sourcemap: 'inline',
      define: {
        'process.env.NODE_ENV': '"development"',
        HYDRANT_BROWSER: 'true',
        HYDRANT_DEV: 'true',
        ...settings.define,
      },
      loader: bundleLoaders(settings),
      plugins: [...plugins, createHydrantModules(siteDir), createBrowserGuard(siteDir)],
    },
  })
}
