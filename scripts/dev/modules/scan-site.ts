import type { BuildOptions } from 'esbuild'
import {
  assetExtensions,
  bundledExtensions,
  bundleLoaders,
  listServerModules,
  shared,
} from '../../build/bundles/bundle-options.ts'
import { checkClassNames } from '../../build/bundles/check-class-names.ts'
import { checkDirectives } from '../../build/bundles/check-directives.ts'
import { checkStylesheets } from '../../build/bundles/check-stylesheets.ts'
import type { EsbuildSettings } from '../../build/bundles/esbuild-options.ts'
import { translateErrors } from '../../build/bundles/translate-errors.ts'
import { translateWarning } from '../../build/bundles/translate-message.ts'
import type { DiscoveredSite } from '../../build/discover/discover-site.ts'
import { createAssets } from '../../build/esbuild/assets.ts'
import { createHrefBinding } from '../../build/esbuild/bind-href.ts'
import { createBrowserGuard } from '../../build/esbuild/browser-guard.ts'
import { type CssCompiler, createCss } from '../../build/esbuild/css.ts'
import { createExternals } from '../../build/esbuild/externals.ts'
import { createImageModules } from '../../build/esbuild/image-modules.ts'
import { type BundleOptions, createBundler } from '../../build/esbuild/incremental-build.ts'
import { createSvgComponents } from '../../build/esbuild/svg-component.ts'
import { createVirtualModules, VIRTUAL } from '../../build/esbuild/virtual-modules.ts'
import { readPlainImage } from '../../build/images/measure-image.ts'
import type { BuildProblem } from '../../build-problem.ts'
import { createDevModuleUrls } from './dev-module-urls.ts'
import type { ObservedPlugins } from './observe-plugins.ts'
import { createSiteGraph, type SiteGraph } from './site-graph.ts'

/** The modules of a site and their imports, for both sides. */
export interface SiteScan {
  browser: SiteGraph
  server: SiteGraph
  warnings: BuildProblem[]
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

export interface SiteScanner {
  /** Finds all modules and imports, and every error that a build would find. */
  scan(input: ScanInput): Promise<SiteScan | { problems: BuildProblem[] }>
  dispose(): Promise<void>
}

/** Creates a scanner: esbuild bundles both sides, without packages, and the result is not used. */
export function createSiteScanner(): SiteScanner {
  const bundlers = { browser: createBundler(), server: createBundler() }

  let last: Promise<unknown> = Promise.resolve()

  async function scan(input: ScanInput): Promise<SiteScan | { problems: BuildProblem[] }> {
    const { site, configKey, inlined } = input
    const key = JSON.stringify([configKey, [...inlined], site.components, site.serverFiles, site.serverPlugin])
    const options = { browser: browserOptions(input), server: serverOptions(input) }
    const [browser, server] = await Promise.all([
      bundlers.browser.compile(key, options.browser),
      bundlers.server.compile(key, options.server),
    ])
    if (!browser.ok || !server.ok) {
      const failed = [browser, server].flatMap((outcome) => (outcome.ok ? [] : outcome.errors))
      return { problems: await translateErrors(failed, site, options.browser) }
    }
    const problems = await checkDirectives(input.siteDir, Object.keys(browser.result.metafile.inputs))
    if (problems.length > 0) return { problems }
    const stylesheets = await checkStylesheets(input.siteDir, browser.result.metafile)
    const classNames = await checkClassNames(input.siteDir, browser.result.metafile, input.cssCompiler.classNames)
    const isEntry = (id: string) => id.startsWith(`${VIRTUAL}:`)
    const { alias } = input.settings
    const { externals } = input.plugins
    return {
      browser: createSiteGraph(browser.result.metafile, { alias, isEntry, externals: externals('browser') }),
      server: createSiteGraph(server.result.metafile, { alias, isEntry, externals: externals('node') }),
      warnings: [...[...browser.warnings, ...server.warnings].map(translateWarning), ...stylesheets, ...classNames],
    }
  }

  return {
    scan(input) {
      // esbuild would return the result of the running build, which may lack the last change.
      const result = last.then(() => scan(input))
      last = result.catch(() => {})
      return result
    },
    async dispose() {
      await Promise.all([bundlers.browser.dispose(), bundlers.server.dispose()])
    },
  }
}

function browserOptions({ siteDir, settings, plugins, cssCompiler, site, inlined }: ScanInput): BundleOptions {
  const files = site.components.map(({ file }) => file).sort()
  const bundled = bundledExtensions(settings)
  return {
    ...scanOptions(siteDir, settings),
    platform: 'browser',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"development"', HYDRANT_BROWSER: 'true', ...settings.define },
    plugins: [
      ...plugins.plugins,
      createVirtualModules(siteDir, [{ name: 'scan', contents: importAll(files) }]),
      createReactExternals(),
      createBrowserGuard(siteDir),
      createCss(siteDir, 'browser', cssCompiler),
      createSvgComponents(siteDir),
      createImageModules(siteDir, 'browser', readPlainImage).plugin,
      createAssets('browser', assetExtensions(settings)).plugin,
      createDevModuleUrls({ siteDir, settings, plugins: plugins.plugins, onLoaded: plugins.watch }).plugin,
      createExternals({ siteDir, alias: settings.alias, bundled, inlined, inlinesLinked: true }),
    ],
  }
}

function serverOptions({ siteDir, settings, plugins, cssCompiler, site, inlined }: ScanInput): BundleOptions {
  const bundled = bundledExtensions(settings)
  return {
    ...scanOptions(siteDir, settings),
    platform: 'node',
    target: 'node20',
    loader: { '.css': 'empty', ...bundleLoaders(settings) },
    plugins: [
      ...plugins.plugins,
      createVirtualModules(siteDir, [{ name: 'scan', contents: importAll(listServerModules(site)) }]),
      createHrefBinding(siteDir),
      createCss(siteDir, 'server', cssCompiler),
      createSvgComponents(siteDir),
      createImageModules(siteDir, 'server', readPlainImage).plugin,
      createAssets('server', assetExtensions(settings)).plugin,
      createExternals({ siteDir, alias: settings.alias, bundled, inlined, inlinesLinked: true }),
    ],
  }
}

function scanOptions(siteDir: string, settings: EsbuildSettings) {
  return {
    ...shared({ siteDir, options: settings }),
    entryPoints: [{ in: `${VIRTUAL}:scan`, out: 'scan' }],
    outdir: siteDir,
    loader: bundleLoaders(settings),
    sourcemap: false,
    // The result lists every file and import, also of code that nothing uses. Unused code need not be written.
    treeShaking: true,
    // A package.json can say that its files have no effect. esbuild would not read them.
    ignoreAnnotations: true,
  } as const satisfies BuildOptions
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
