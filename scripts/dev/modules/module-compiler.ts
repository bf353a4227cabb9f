import { extname, resolve } from 'node:path'
import { type BuildOptions, type BuildResult, build } from 'esbuild'
import type { SourceMap } from 'oxc-transform'
import { shared } from '../../build/bundles/bundle-options.ts'
import { type BrowserModule, readBrowserModule } from './browser/browser-module.ts'
import { compilePlainScript } from './browser/compile-plain-script.ts'
import { composeMaps } from './browser/compose-maps.ts'
import { addRefresh, type RefreshedScript } from './browser/refresh-transform.ts'
import { type CompilerInput, createPluginCompiler } from './compile-with-plugins.ts'
import { type CompiledServerModule, compileServerModule } from './server/compile-server-module.ts'

/** A stylesheet for the browser. */
export interface Stylesheet {
  css: string
  /** The ids of the files that it consists of. */
  inputs: string[]
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
const SCRIPT = /\.[cm]?[jt]sx?$/
const FOR_BROWSER = { platform: 'browser', metafile: true, write: false } as const satisfies BuildOptions

export function createModuleCompiler(input: CompilerInput): ModuleCompiler {
  const { siteDir, settings } = input
  const withPlugins = createPluginCompiler(input)
  const define = {
    'process.env.NODE_ENV': '"development"',
    HYDRANT_BROWSER: 'true',
    HYDRANT_DEV: 'true',
    ...settings.define,
  }

  async function browserScript(id: string): Promise<RefreshedScript> {
    const plain = isPlain(id, input) && !settings.compileReact ? await compilePlainScript(siteDir, id, define) : null
    if (plain) return plain
    // esbuild refuses aliases for a single module.
    const options: BuildOptions = {
      ...FOR_BROWSER,
      alias: {},
      bundle: false,
      format: 'esm',
      define,
      sourcemap: 'external',
    }
    const result = await withPlugins.compile('browser', id, options)
    const script = addRefresh('module.js', outputOf(result, '.js'), { lang: 'js', sourcemap: true })
    if (!script?.map) throw new Error(`${id} is not a script after it has been compiled.`)
    // esbuild wrote the map.
    const map = composeMaps(script.map, JSON.parse(outputOf(result, '.js.map')) as SourceMap)
    return { ...script, map: { ...map, sources: map.sources.map(toMapSource) } }
  }

  /** Compiles a module for the server. A plain script needs no plugin, and each callback takes time. */
  async function serverScript(id: string, options: BuildOptions): Promise<BuildResult> {
    if (!isPlain(id, input)) return await withPlugins.compile('server', id, options)
    return await build({
      ...shared({ siteDir, options: settings }),
      entryPoints: [{ in: resolve(siteDir, id), out: 'module' }],
      outdir: siteDir,
      ...options,
    })
  }

  return {
    browser: async (id) => readBrowserModule(await browserScript(id)),
    server: async (id) =>
      isPlainStylesheet(id, input)
        ? EMPTY
        : compileServerModule((options) => serverScript(id, options), settings.define),
    async stylesheet(id) {
      const result = await withPlugins.compile('browser', id, { ...FOR_BROWSER, bundle: true })
      return { css: outputOf(result, '.css'), inputs: Object.keys(result.metafile?.inputs ?? {}) }
    },
    asset: withPlugins.asset,
  }
}

/** Returns whether a module is a script that no loader of the site and no plugin applies to. */
function isPlain(id: string, { siteDir, settings, plugins }: CompilerInput): boolean {
  if (id.includes(':') || !SCRIPT.test(id) || extname(id) in settings.loader) return false
  return !plugins.mayLoad(resolve(siteDir, id))
}

/** Returns whether a module is a stylesheet that the server does not need. */
function isPlainStylesheet(id: string, { siteDir, settings, plugins }: CompilerInput): boolean {
  if (id.startsWith('hydrant-css:')) return true
  if (id.includes(':') || !id.endsWith('.css') || '.css' in settings.loader) return false
  return !plugins.mayLoad(resolve(siteDir, id))
}

/** Returns a source as the map of a script in the folder of browser scripts has it. */
function toMapSource(source: string): string {
  return source.startsWith('hydrant-') ? source : `../../${source}`
}

function outputOf({ outputFiles = [] }: BuildResult, end: string): string {
  return outputFiles.find(({ path }) => path.endsWith(end))?.text ?? ''
}
