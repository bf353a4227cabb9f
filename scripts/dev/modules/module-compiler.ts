import { extname, isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  decodedMappings,
  encodedMappings,
  type SourceMapSegment,
  TraceMap,
  traceSegment,
} from '@jridgewell/trace-mapping'
import { type BuildOptions, type BuildResult, build } from 'esbuild'
import type { SourceMap } from 'oxc-transform'
import { shared } from '../../build/bundles/bundle-options.ts'
import { entryPath, outputText, VIRTUAL_ID } from '../../build/esbuild/bundler.ts'
import { isStylesheet } from '../../build/esbuild/stylesheet-reader.ts'
import { createQueue } from '../../map-with-limit.ts'
import {
  addRefresh,
  type BrowserCompiler,
  compilePlainScript,
  loadTransform,
  parseModule,
  type RefreshedScript,
  readBrowserModule,
} from './browser/read-browser-module.ts'
import { type CompilerInput, createPluginCompiler } from './compile-with-plugins.ts'
import { createScriptSettings } from './script-settings.ts'
import { type CompiledServerModule, compileServerModule, type ServerCompiler } from './server/compile-server-module.ts'

export interface ModuleCompiler extends BrowserCompiler, ServerCompiler {}

/** A module without code. */
const EMPTY: CompiledServerModule = {
  code: '',
  map: '{"version":3,"sources":[],"names":[],"mappings":""}',
  isAsync: false,
  isEsm: false,
  imports: [],
  requires: [],
  specifiers: [],
  expressions: [],
  requiresExpression: false,
  names: new Map(),
}
/** With more, esbuild takes longer, and a gigabyte of memory for a barrel of 2,000 modules. */
const COMPILED_AT_A_TIME = 8
const SCRIPT = /\.[cm]?[jt]sx?$/
const FOR_BROWSER = { platform: 'browser', metafile: true, write: false } as const satisfies BuildOptions

export function createModuleCompiler(input: CompilerInput): ModuleCompiler {
  const { siteDir, settings } = input
  const settingsOf = createScriptSettings()
  const withPlugins = createPluginCompiler(input, settingsOf)
  const queue = createQueue(COMPILED_AT_A_TIME)
  const define = {
    'process.env.NODE_ENV': '"development"',
    HYDRANT_BROWSER: 'true',
    HYDRANT_DEV: 'true',
    ...settings.define,
  }

  async function browserScript(id: string): Promise<RefreshedScript> {
    if (isPlain(id, input) && !settings.compileReact) {
      const plain = await compilePlainScript(siteDir, id, define, await settingsOf(resolve(siteDir, id)))
      if (plain) return plain
    }
    // esbuild refuses aliases for a single module.
    const options: BuildOptions = {
      ...FOR_BROWSER,
      alias: {},
      bundle: false,
      format: 'esm',
      target: 'es2022',
      define,
      sourcemap: 'external',
    }
    const result = await withPlugins.compile('browser', id, options)
    const code = outputText(result.outputFiles, '.js')
    // esbuild wrote the map.
    const first = JSON.parse(outputText(result.outputFiles, '.js.map')) as SourceMap
    const withSources = (map: SourceMap) => ({ ...map, sources: map.sources.map(toMapSource) })
    // Without the transform, pages are loaded again after each edit.
    if ('missing' in (await loadTransform())) return { code, map: withSources(first), program: parseModule(code) }
    const script = await addRefresh('module.js', code, { lang: 'js', sourcemap: true })
    if (!script?.map) throw new Error(`${id} is not a script after it has been compiled.`)
    return { ...script, map: withSources(composeMaps(script.map, first)) }
  }

  /** Compiles a module for the server. A plain script needs no plugin, and each callback takes time. */
  async function serverScript(id: string, options: BuildOptions): Promise<BuildResult> {
    if (!isPlain(id, input)) return await withPlugins.compile('server', id, options)
    return await build({
      ...shared({ siteDir, options: settings }),
      entryPoints: [{ in: entryPath(siteDir, resolve(siteDir, id)), out: 'module' }],
      outdir: siteDir,
      ...options,
    })
  }

  return {
    browser: (id) => queue(async () => readBrowserModule(await browserScript(id))),
    server: async (id) =>
      isPlainStylesheet(id, input)
        ? EMPTY
        : queue(() => compileServerModule((options) => serverScript(id, options), settings.define)),
    async stylesheet(id) {
      const result = await withPlugins.compile('browser', id, { ...FOR_BROWSER, bundle: true })
      return {
        css: outputText(result.outputFiles, '.css'),
        inputs: Object.keys(result.metafile?.inputs ?? {}),
        hasWarnings: result.warnings.length > 0,
      }
    },
    asset: withPlugins.asset,
  }
}

/** Returns whether a module is a script that no loader of the site and no plugin applies to. */
function isPlain(id: string, { siteDir, settings, plugins }: CompilerInput): boolean {
  if (VIRTUAL_ID.test(id) || !SCRIPT.test(id) || extname(id) in settings.loader) return false
  return !plugins.mayLoad(resolve(siteDir, id))
}

/** Returns whether a module is a stylesheet that the server does not need. */
function isPlainStylesheet(id: string, { siteDir, settings, plugins }: CompilerInput): boolean {
  if (!isStylesheet(id)) return false
  if (VIRTUAL_ID.test(id)) return true
  return !('.css' in settings.loader) && !plugins.mayLoad(resolve(siteDir, id))
}

/** Returns a source as the map of a script in the folder of browser scripts has it. */
function toMapSource(source: string): string {
  if (source.startsWith('hydrant-')) return source
  return isAbsolute(source) ? pathToFileURL(source).href : `../../${source}`
}

/** Connects the source map of a script that was compiled twice with the map of the first compilation. */
function composeMaps(second: SourceMap, first: SourceMap): SourceMap {
  const trace = read(first)
  const mappings = decodedMappings(read(second)).map((segments) =>
    segments.flatMap(([column, , line, originalColumn]): SourceMapSegment[] => {
      if (line === undefined || originalColumn === undefined) return []
      const segment = traceSegment(trace, line, originalColumn)
      if (!segment || segment.length === 1) return []
      const [, source, sourceLine, sourceColumn, name] = segment
      if (name === undefined) return [[column, source, sourceLine, sourceColumn]]
      return [[column, source, sourceLine, sourceColumn, name]]
    }),
  )
  return { ...first, mappings: encodedMappings(new TraceMap({ ...first, version: 3, mappings })) }
}

function read(map: SourceMap): TraceMap {
  return new TraceMap({ ...map, version: 3 })
}
