import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type BuildOptions, type BuildResult, build, type Plugin } from 'esbuild'
import { assetExtensions, bundleLoaders, shared } from '../../build/bundles/bundle-options.ts'
import type { EsbuildSettings } from '../../build/bundles/esbuild-options.ts'
import { type Assets, createAssets, type FileOnDisk } from '../../build/esbuild/assets.ts'
import { createHrefBinding } from '../../build/esbuild/bind-href.ts'
import type { BundleTarget } from '../../build/esbuild/bundle-target.ts'
import { type CssCompiler, createCss } from '../../build/esbuild/css.ts'
import { createImageModules } from '../../build/esbuild/image-modules.ts'
import { createReactCompiler } from '../../build/esbuild/react-compiler.ts'
import { createSvgComponents } from '../../build/esbuild/svg-component.ts'
import { readPlainImage } from '../../build/images/measure-image.ts'
import { createDevModuleUrls } from './dev-module-urls.ts'
import { createJsonModules } from './json-modules.ts'
import type { ObservedPlugins } from './observe-plugins.ts'
import type { ScriptSettings } from './script-settings.ts'

export interface CompilerInput {
  siteDir: string
  settings: EsbuildSettings
  plugins: ObservedPlugins
  cssCompiler: CssCompiler
}

/** Compiles modules one by one, with the plugins and loaders of the build. */
export interface PluginCompiler {
  /** Compiles a module. Rejects with esbuild's BuildFailure. */
  compile(target: BundleTarget, id: string, options: BuildOptions): Promise<BuildResult>
  /** The assets that the compiled modules use, by their names in the client folder. */
  asset(name: string): Uint8Array | undefined
}

const ENTRY = 'hydrant-module'

export function createPluginCompiler(
  input: CompilerInput,
  settingsOf: (path: string) => Promise<ScriptSettings>,
): PluginCompiler {
  const { siteDir, settings, plugins } = input
  /** The assets that each module uses, by their names. */
  const assets = new Map<string, ReadonlyMap<string, Uint8Array>>()
  const urlsInput = { siteDir, settings, plugins: plugins.plugins, onLoaded: plugins.watch }
  return {
    async compile(target, id, options) {
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
        ...(tsconfig !== null && !id.includes(':') ? { tsconfig } : {}),
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
    asset(name) {
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
        const [, namespace, rest = ''] = /^([\w-]+):(.*)$/.exec(id) ?? []
        return namespace === undefined ? { path: resolve(siteDir, id) } : { path: rest, namespace }
      })
    },
  }
}
