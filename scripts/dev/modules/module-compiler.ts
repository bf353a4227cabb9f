import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { type BuildOptions, build, type Plugin, transform } from 'esbuild'
import { assetExtensions, bundleLoaders, shared } from '../../build/bundles/bundle-options.ts'
import type { EsbuildSettings } from '../../build/bundles/esbuild-options.ts'
import { createAssets } from '../../build/esbuild/assets.ts'
import { createHrefBinding } from '../../build/esbuild/bind-href.ts'
import { createCss } from '../../build/esbuild/css.ts'
import type { CompileCssModule } from '../../build/esbuild/css-module.ts'
import { type BrowserModule, readBrowserModule } from './browser-module.ts'
import { type CompiledServerModule, compileServerModule } from './compile-server-module.ts'
import type { ObservedPlugins } from './observe-plugins.ts'
import { addRefresh, type RefreshedScript } from './refresh-transform.ts'

/** A stylesheet for the browser. */
export interface Stylesheet {
  css: string
  /** The ids of the files that it consists of. */
  inputs: string[]
}

export interface CompilerInput {
  siteDir: string
  settings: EsbuildSettings
  plugins: ObservedPlugins
  compileCssModule: CompileCssModule
}

/** Compiles modules one by one. Rejects with esbuild's BuildFailure. */
export interface ModuleCompiler {
  browser(id: string): Promise<BrowserModule>
  server(id: string): Promise<CompiledServerModule>
  stylesheet(id: string): Promise<Stylesheet>
  /** The assets that the compiled modules use, by their names in the client folder. */
  asset(name: string): Uint8Array | undefined
}

/** A module without code. */
const EMPTY: CompiledServerModule = {
  ...{ code: '', map: '{"version":3,"sources":[],"names":[],"mappings":""}', isAsync: false, isEsm: false },
  ...{ imports: [], requires: [], specifiers: [], names: new Map() },
}
const ENTRY = 'hydrant-module'
const SCRIPT = /\.[cm]?[jt]sx?$/

export function createModuleCompiler(input: CompilerInput): ModuleCompiler {
  const { siteDir, settings, plugins } = input
  const extensions = assetExtensions(settings)
  /** The assets that each module uses, by their names. */
  const assets = new Map<string, ReadonlyMap<string, Uint8Array>>()
  const define = {
    'process.env.NODE_ENV': '"development"',
    HYDRANT_BROWSER: 'true',
    HYDRANT_DEV: 'true',
    ...settings.define,
  }

  function isPlain(id: string): boolean {
    const extension = extname(id)
    return (
      !id.includes(':') && SCRIPT.test(id) && !(extension in settings.loader) && !plugins.mayLoad(resolve(siteDir, id))
    )
  }

  /** Returns whether a module is a stylesheet, which the server does not need. */
  function isStylesheet(id: string): boolean {
    return (
      !id.includes(':') && id.endsWith('.css') && !('.css' in settings.loader) && !plugins.mayLoad(resolve(siteDir, id))
    )
  }

  /** Compiles a module that is not a plain script with the plugins of the build. */
  async function compileWith(side: 'browser' | 'server', id: string, options: BuildOptions) {
    const emitted = createAssets(side, extensions)
    const result = await build({
      ...shared({ siteDir, options: settings }),
      entryPoints: [{ in: `${ENTRY}:${id}`, out: 'module' }],
      outdir: siteDir,
      loader: { ...(side === 'server' ? { '.css': 'empty' } : {}), ...bundleLoaders(settings) },
      plugins: [entryPlugin(siteDir), ...plugins.plugins, ...pluginsOf(side), emitted.plugin],
      ...options,
    })
    if (emitted.files.size > 0) assets.set(`${side} ${id}`, new Map(emitted.files))
    return result
  }

  function pluginsOf(side: 'browser' | 'server'): Plugin[] {
    const href = side === 'server' ? [createHrefBinding(siteDir)] : []
    return [...href, createCss(siteDir, side, input.compileCssModule)]
  }

  async function browserScript(id: string): Promise<RefreshedScript> {
    if (isPlain(id)) {
      const path = resolve(siteDir, id)
      const source = await readFile(path, 'utf8')
      const script = addRefresh(path, source, { lang: langOf(id), define, sourcemap: true })
      if (script?.map) return { ...script, map: { ...script.map, sources: [`../../${id}`], sourcesContent: [source] } }
      // esbuild reports the errors in the form that the build uses.
      await transform(source, { loader: langOf(id), sourcefile: id, jsx: 'automatic', logLevel: 'silent' })
    }
    const { outputFiles } = await compileWith('browser', id, {
      // esbuild refuses aliases for a single module.
      alias: {},
      bundle: false,
      format: 'esm',
      define,
      platform: 'browser',
      metafile: true,
      write: false,
    })
    const code = outputFiles?.find((file) => file.path.endsWith('.js'))?.text ?? ''
    const script = addRefresh('module.js', code, { lang: 'js' })
    if (!script) throw new Error(`${id} is not a script after it has been compiled.`)
    return script
  }

  /** Compiles a module for the server. A plain script needs no plugin, and each callback takes time. */
  async function compileForServer(id: string, options: BuildOptions) {
    if (!isPlain(id)) return await compileWith('server', id, options)
    return await build({
      ...shared({ siteDir, options: settings }),
      entryPoints: [{ in: resolve(siteDir, id), out: 'module' }],
      outdir: siteDir,
      ...options,
    })
  }

  return {
    async browser(id) {
      return readBrowserModule(await browserScript(id))
    },
    server: async (id) =>
      isStylesheet(id) ? EMPTY : compileServerModule((options) => compileForServer(id, options), settings.define),
    async stylesheet(id) {
      const { outputFiles, metafile } = await compileWith('browser', id, {
        bundle: true,
        platform: 'browser',
        metafile: true,
        write: false,
      })
      const css = outputFiles?.find((file) => file.path.endsWith('.css'))?.text ?? ''
      return { css, inputs: Object.keys(metafile?.inputs ?? {}) }
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

function langOf(id: string): 'ts' | 'tsx' | 'js' | 'jsx' {
  const extension = extname(id)
  if (extension === '.tsx') return 'tsx'
  if (/^\.[cm]?ts$/.test(extension)) return 'ts'
  // As in esbuild, JSX needs its own extension.
  return extension === '.jsx' ? 'jsx' : 'js'
}
