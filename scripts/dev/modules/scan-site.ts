import { resolve } from 'node:path'
import type { BuildOptions, Metafile, OnLoadArgs, OnLoadResult, Plugin } from 'esbuild'
import {
  assetExtensions,
  bundledExtensions,
  bundleLoaders,
  listServerModules,
  shared,
} from '../../build/bundles/bundle-options.ts'
import { checkClassNames, checkStylesheets } from '../../build/bundles/check-class-names.ts'
import { checkDirectives } from '../../build/bundles/check-imports.ts'
import type { EsbuildSettings } from '../../build/bundles/esbuild-options.ts'
import { translateErrors } from '../../build/bundles/translate-errors.ts'
import { translateWarning, withoutNamespace } from '../../build/bundles/translate-message.ts'
import type { DiscoveredSite } from '../../build/discover/discover-site.ts'
import { createAssets } from '../../build/esbuild/assets.ts'
import { createBrowserGuard } from '../../build/esbuild/browser-guard.ts'
import { type BundleOptions, createBundler } from '../../build/esbuild/bundler.ts'
import { type CssCompiler, createCss } from '../../build/esbuild/css.ts'
import { createExternals } from '../../build/esbuild/externals.ts'
import { createHrefBinding } from '../../build/esbuild/hydrant-modules.ts'
import { createImageModules, IMAGE_NAMESPACE, readPlainImage } from '../../build/esbuild/image-modules.ts'
import { CSS_NAMESPACES } from '../../build/esbuild/stylesheet-reader.ts'
import { createSvgComponents, SVG_NAMESPACE } from '../../build/esbuild/svg-component.ts'
import { type BundleTarget, createVirtualModules, VIRTUAL } from '../../build/esbuild/virtual-modules.ts'
import { BuildError, type BuildProblem, tidyProblems } from '../../build-problem.ts'
import { createDevModuleUrls } from './compile-with-plugins.ts'
import type { ObservedPlugins } from './observe-plugins.ts'
import { createSiteGraph, type SiteGraph } from './site-graph.ts'

/** The namespaces of the modules that plugins of the build make of files. */
export const NAMESPACES: readonly string[] = [...Object.values(CSS_NAMESPACES), SVG_NAMESPACE, IMAGE_NAMESPACE]

/** The modules of a site and their imports, for both sides. */
export interface SiteScan {
  browser: SiteGraph
  server: SiteGraph
  warnings: BuildProblem[]
  /** What a build would refuse. The modules with these problems have the imports of the last scan without them. */
  problems: BuildProblem[]
}

export interface ScanInput {
  siteDir: string
  settings: EsbuildSettings
  plugins: ObservedPlugins
  cssCompiler: CssCompiler
  site: DiscoveredSite
  /** Changes with the settings. */
  configKey: string
  /** Names of packages whose modules are a part of the site. */
  inlined: ReadonlySet<string>
}

/** Creates a scanner: esbuild bundles both sides, without packages, and the result is not used. */
export function createSiteScanner() {
  const bundlers = createBundlers()
  // The compilation of all modules is used again when the problems are fixed.
  const partial = createBundlers()
  const metafiles = { browser: EMPTY_METAFILE, server: EMPTY_METAFILE }
  let last: Promise<unknown> = Promise.resolve()

  async function scan(input: ScanInput): Promise<SiteScan> {
    const { siteDir } = input
    const { browser, server, problems, broken } = await bundleParts(input)
    metafiles.browser = withLastImports(browser.result.metafile, metafiles.browser, broken)
    metafiles.server = withLastImports(server.result.metafile, metafiles.server, broken)
    problems.push(...(await checkDirectives(siteDir, Object.keys(browser.result.metafile.inputs))))
    const stylesheets = await checkStylesheets(siteDir, browser.result.metafile)
    const classNames = await checkClassNames(siteDir, browser.result.metafile, input.cssCompiler.classNames)
    const isEntry = (id: string) => id.startsWith(`${VIRTUAL}:`)
    const { alias } = input.settings
    const { externals } = input.plugins
    return {
      browser: createSiteGraph(metafiles.browser, { alias, isEntry, externals: externals('browser') }),
      server: createSiteGraph(metafiles.server, { alias, isEntry, externals: externals('node') }),
      warnings: [...[...browser.warnings, ...server.warnings].map(translateWarning), ...stylesheets, ...classNames],
      problems,
    }
  }

  /** Bundles both sides. Modules with errors are left out, until the others can be bundled. */
  async function bundleParts(input: ScanInput) {
    const { site, configKey, inlined } = input
    const names = [configKey, [...inlined], site.components, site.serverFiles, site.serverPlugin]
    const problems: BuildProblem[] = []
    /** The files that are left out. Paths are relative to the site. */
    const broken = new Set<string>()
    for (;;) {
      const options = { browser: browserOptions(input, broken), server: serverOptions(input, broken) }
      const key = JSON.stringify([...names, [...broken].sort()])
      const used = broken.size > 0 ? partial : bundlers
      const [browser, server] = await Promise.all([
        used.browser.compile(key, options.browser),
        used.server.compile(key, options.server),
      ])
      if (browser.ok && server.ok) return { browser, server, problems, broken }
      const failed = [browser, server].flatMap((outcome) => (outcome.ok ? [] : outcome.errors))
      const found = await translateErrors(failed, site, options.browser)
      problems.push(...found)
      const files = found.flatMap(({ location }) => (location && !broken.has(location.file) ? [location.file] : []))
      if (files.length === 0) throw new BuildError(tidyProblems(problems))
      for (const file of files) broken.add(file)
    }
  }

  return {
    /** Finds all modules and imports, and a build's errors. Throws BuildError for those in no module of the site. */
    scan(input: ScanInput) {
      // esbuild would return the result of the running build, which may lack the last change.
      const result = last.then(() => scan(input))
      last = result.catch(() => {})
      return result
    },
    async dispose() {
      const all = [bundlers, partial].flatMap(({ browser, server }) => [browser, server])
      await Promise.all(all.map((bundler) => bundler.dispose()))
    },
  }
}

const EMPTY_METAFILE: Metafile = { inputs: {}, outputs: {} }

function createBundlers() {
  return { browser: createBundler(), server: createBundler() }
}

function browserOptions(input: ScanInput, broken: ReadonlySet<string>): BundleOptions {
  const { siteDir, settings, site } = input
  const files = site.components.map(({ file }) => file).sort()
  return {
    ...scanOptions(input, broken, 'browser', files, [createReactExternals(), createBrowserGuard(siteDir)]),
    platform: 'browser',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"development"', HYDRANT_BROWSER: 'true', ...settings.define },
    loader: bundleLoaders(settings),
  }
}

function serverOptions(input: ScanInput, broken: ReadonlySet<string>): BundleOptions {
  const { siteDir, settings, site } = input
  return {
    ...scanOptions(input, broken, 'server', listServerModules(site), [createHrefBinding(siteDir)]),
    platform: 'node',
    target: 'node20',
    loader: { '.css': 'empty', ...bundleLoaders(settings) },
  }
}

/** @param own The plugins of this side only. */
function scanOptions(
  { siteDir, settings, plugins, cssCompiler, inlined }: ScanInput,
  broken: ReadonlySet<string>,
  target: BundleTarget,
  files: readonly string[],
  own: readonly Plugin[],
) {
  const { alias } = settings
  const urls = { siteDir, settings, plugins: plugins.plugins, onLoaded: plugins.watch }
  return {
    ...shared({ siteDir, options: settings }),
    entryPoints: [{ in: `${VIRTUAL}:scan`, out: 'scan' }],
    outdir: siteDir,
    sourcemap: false,
    // The result lists every file and import, also of code that nothing uses. Unused code need not be written.
    treeShaking: true,
    // A package.json can say that its files have no effect. esbuild would not read them.
    ignoreAnnotations: true,
    plugins: [
      ...(broken.size > 0 ? [createPlaceholderModules(siteDir, broken)] : []),
      ...plugins.plugins,
      createVirtualModules(siteDir, [{ name: 'scan', contents: importAll(files) }]),
      ...own,
      createCss(siteDir, target, cssCompiler),
      createSvgComponents(siteDir),
      createImageModules(siteDir, target, readPlainImage).plugin,
      createAssets(target, assetExtensions(settings)).plugin,
      ...(target === 'browser' ? [createDevModuleUrls(urls).plugin] : []),
      createExternals({ siteDir, alias, bundled: bundledExtensions(settings), inlined, inlinesLinked: true }),
    ],
  } satisfies BuildOptions
}

function importAll(files: readonly string[]): string {
  return files.map((file) => `import ${JSON.stringify(`./${file}`)}\n`).join('')
}

/** Leaves React and Hydrant's browser API out, also when they are linked: the page has one copy of each. */
function createReactExternals() {
  return {
    name: 'hydrant-react-externals',
    setup({ onResolve }: Pick<import('esbuild').PluginBuild, 'onResolve'>) {
      onResolve({ filter: /^(?:react(-dom)?(\/|$)|hydrant\/react$)/ }, ({ path }) => ({ path, external: true }))
    },
  }
}

/** Gives the modules that were left out their last imports, whose state then stays until they are fixed. */
function withLastImports(metafile: Metafile, last: Metafile, broken: ReadonlySet<string>): Metafile {
  const inputs = { ...metafile.inputs }
  const waiting = Object.keys(inputs).filter((path) => broken.has(withoutNamespace(path)))
  for (const path of waiting) {
    const before = last.inputs[path] ?? { bytes: 0, imports: [] }
    const imports = before.imports.filter(({ path: to, external }) => external || inputs[to] || last.inputs[to])
    inputs[path] = { ...before, imports }
    for (const { path: to } of imports) {
      if (inputs[to] || !last.inputs[to]) continue
      inputs[to] = last.inputs[to]
      waiting.push(to)
    }
  }
  return { ...metafile, inputs }
}

/** A module that exists nowhere. esbuild cannot know which names it exports. */
const ANY = 'hydrant-any'
const ANY_EXPORTS = `export * from '${ANY}'\nexport default 0\n`

/** Creates the plugin that makes broken files empty modules, from which any name can be imported. */
function createPlaceholderModules(siteDir: string, broken: ReadonlySet<string>): Plugin {
  const names = [...broken]
  return {
    name: 'hydrant-placeholders',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: new RegExp(`^${ANY}$`) }, () => ({ path: ANY, external: true }))
      const load = ({ path, namespace }: OnLoadArgs): OnLoadResult => {
        const isRules = namespace === CSS_NAMESPACES.rules || (namespace === 'file' && /\.css$/.test(path))
        return isRules ? { contents: '', loader: 'css' } : { contents: ANY_EXPORTS, loader: 'js' }
      }
      onLoad({ filter: oneOf(names.map((name) => resolve(siteDir, name))), namespace: 'file' }, load)
      for (const namespace of NAMESPACES) onLoad({ filter: oneOf(names), namespace }, load)
    },
  }
}

/** Returns the pattern that matches some texts. */
function oneOf(texts: readonly string[]): RegExp {
  return new RegExp(`^(?:${texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})$`)
}
