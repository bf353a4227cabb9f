import type { BuildOptions, Loader, Plugin } from 'esbuild'
import { BUILD_PATHS, PAGE_SERVER_EXPORTS } from '../../../src/server/build-output/manifest.ts'
import type { DiscoveredSite } from '../discover/discover-site.ts'
import { ASSET_EXTENSIONS, type Assets, createAssets, type FileOnDisk } from '../esbuild/assets.ts'
import { createBrowserGuard } from '../esbuild/browser-guard.ts'
import type { BundleOptions } from '../esbuild/bundler.ts'
import { type CssCompiler, createCss } from '../esbuild/css.ts'
import { createExternals } from '../esbuild/externals.ts'
import { HYDRANT_FILES } from '../esbuild/hydrant-files.ts'
import { COMMON_IMPORT, createHrefBinding, createHydrantModules, exportOf } from '../esbuild/hydrant-modules.ts'
import { createImageModules, type ReadImage } from '../esbuild/image-modules.ts'
import { createReactCompiler } from '../esbuild/react-compiler.ts'
import { createSvgComponents } from '../esbuild/svg-component.ts'
import { BASE_MODULE, CLIENT_ENTRY, createVirtualModules, VIRTUAL } from '../esbuild/virtual-modules.ts'
import type { FileExports } from './check-exports.ts'
import type { EsbuildSettings } from './esbuild-options.ts'
import { createLazyPackages, type LazyPackages } from './lazy-packages.ts'
import { createModuleUrls } from './module-urls.ts'
import { createSourceMeta } from './source-meta.ts'

const REQUIRE = `import { createRequire as hydrantCreateRequire } from 'node:module'
const require = hydrantCreateRequire(import.meta.url)`

export interface BundleInput {
  siteDir: string
  /** Name of the build folder. Nothing is written to it here; the paths in source maps are relative to it. */
  folder: string
  site: DiscoveredSite
  options: EsbuildSettings
  /** The pages whose server files export `form`. */
  formPages: ReadonlySet<string>
  /** The names that each file exports. */
  exports: FileExports
  cssCompiler: CssCompiler
  readImage: ReadImage
}

type ConfigInput = Pick<BundleInput, 'siteDir' | 'folder' | 'options'>

export interface Bundle {
  options: BundleOptions
  assets: Pick<Assets<Uint8Array | FileOnDisk>, 'files'>[]
}

/** @param packageModules The modules of packages that name files by URLs, see `bundleWithPackages`. */
export function createClientBundle(input: BundleInput, packageModules: ReadonlySet<string>): Bundle {
  const { siteDir, folder, site, options, formPages } = input
  const modules = [
    {
      name: CLIENT_ENTRY,
      contents: COMMON_IMPORT,
    },
    // Only the component: the browser does not use a page file's other exports.
    ...site.components.map(({ file }) => ({
      name: file,
      contents:
        `${COMMON_IMPORT}export { default } from ${JSON.stringify(`./${file}`)}\n` +
        (formPages.has(file) ? exportOf('createFormProps as formProps', HYDRANT_FILES.fields) : ''),
    })),
  ]
  const assets = createAssets('browser', assetExtensions(options))
  const images = createImageModules(siteDir, 'browser', input.readImage)
  // HYDRANT_BROWSER leaves out code that only the server runs, see src/shared/globals.ts.
  const define = {
    'process.env.NODE_ENV': '"production"',
    HYDRANT_BROWSER: 'true',
    HYDRANT_DEV: 'false',
    ...options.define,
  }
  const compiled = {
    platform: 'browser',
    target: 'es2022',
    minify: true,
    define,
    loader: bundleLoaders(options),
  } as const
  const ownPlugins = [createHydrantModules(siteDir), createBrowserGuard(siteDir)]
  const moduleUrls = createModuleUrls({
    siteDir,
    packageModules,
    options: { ...shared(input), ...compiled, plugins: [...options.plugins, ...ownPlugins] },
    extensions: assetExtensions(options),
    compileReact: options.compileReact,
  })
  return {
    assets: [assets, images, moduleUrls],
    options: {
      ...shared(input),
      entryPoints: modules.map(({ name }) => `${VIRTUAL}:${name}`),
      // Without the names of sources: filter lists block requests for names such as `ad-banner`.
      entryNames: '[hash]',
      chunkNames: '[hash]',
      outdir: `${siteDir}/${folder}/${BUILD_PATHS.client}`,
      ...compiled,
      splitting: true,
      // The maps are written to a folder that is not served.
      sourcemap: 'external',
      legalComments: 'external',
      plugins: [
        ...options.plugins,
        createVirtualModules(siteDir, modules),
        ...ownPlugins,
        createCss(siteDir, 'browser', input.cssCompiler),
        createSvgComponents(siteDir),
        images.plugin,
        assets.plugin,
        // It also compiles the modules that it loads.
        moduleUrls.plugin,
        ...(options.compileReact ? [createReactCompiler(options.compileReact)] : []),
      ],
    },
  }
}

/** What an earlier bundle has shown about the modules of the server. */
export interface ServerFindings {
  /** Names of packages that are a part of the bundle. */
  inlined: readonly string[]
  /** The modules that may use their place, see `findPlaced`. */
  placed: readonly string[]
  /** See `findLazyPackages`. */
  lazy: LazyPackages
}

export function createServerBundle(
  input: Omit<BundleInput, 'formPages'>,
  { inlined, placed, lazy }: ServerFindings,
): Bundle {
  const { siteDir, options } = input
  const assets = createAssets('server', assetExtensions(options))
  const images = createImageModules(siteDir, 'server', input.readImage)
  const module = { name: 'server', contents: writeServerModule(input) }
  return {
    assets: [assets, images],
    options: {
      ...createNodeOptions(
        input,
        BUILD_PATHS.server,
        [
          ...options.plugins,
          createVirtualModules(siteDir, [module]),
          createHrefBinding(siteDir),
          createCss(siteDir, 'server', input.cssCompiler),
          createSvgComponents(siteDir),
          images.plugin,
          assets.plugin,
          ...(lazy.size > 0 ? [createLazyPackages(siteDir, lazy)] : []),
        ],
        new Set(inlined),
        placed,
      ),
      // An ES module has no `require`, which CommonJS modules of the bundle call for packages.
      banner: { js: REQUIRE },
      entryPoints: [{ in: `${VIRTUAL}:server`, out: 'index' }],
    },
  }
}

/** @param placed The modules that may use their place, see `findPlaced`. */
export function createConfigBundle(input: ConfigInput, file: string | null, placed: readonly string[]): BundleOptions {
  const module = {
    name: 'config',
    contents: file === null ? 'export default {}' : `export { default } from ${JSON.stringify(`./${file}`)}`,
  }
  return {
    ...createNodeOptions(input, BUILD_PATHS.config, [createVirtualModules(input.siteDir, [module])], new Set(), placed),
    entryPoints: [{ in: `${VIRTUAL}:config`, out: 'config' }],
  }
}

function createNodeOptions(
  input: ConfigInput,
  path: string,
  plugins: readonly Plugin[],
  inlined: ReadonlySet<string>,
  placed: readonly string[],
): BundleOptions {
  const { siteDir, folder, options } = input
  return {
    ...shared(input),
    outdir: `${siteDir}/${folder}/${path.split('/').slice(0, -1).join('/')}`,
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    loader: { '.css': 'empty', ...bundleLoaders(options) },
    plugins: [
      ...plugins,
      ...(placed.length > 0 ? [createSourceMeta(siteDir, `${folder}/${path}`, placed)] : []),
      createExternals({ siteDir, alias: options.alias, bundled: bundledExtensions(options), inlined, isForNode: true }),
    ],
  }
}

export function shared({ siteDir, options }: Pick<BundleInput, 'siteDir' | 'options'>) {
  return {
    absWorkingDir: siteDir,
    alias: options.alias,
    bundle: true,
    define: options.define,
    // Without this, esbuild escapes every character outside ASCII.
    charset: 'utf8',
    format: 'esm',
    jsx: 'automatic',
    jsxDev: false,
    logLevel: 'silent',
    logLimit: 0,
    metafile: true,
    write: false,
  } as const satisfies BuildOptions
}

// A loader that the site sets replaces Hydrant's handling of an extension. The loader `file` asks for that handling.
export function assetExtensions({ loader }: EsbuildSettings): string[] {
  const ofSite = Object.entries(loader).map(([end, name]) => ({
    extension: end.replace(/^\./, ''),
    isFile: name === 'file',
  }))
  const others = ASSET_EXTENSIONS.filter((extension) => !ofSite.some((entry) => entry.extension === extension))
  return [...others, ...ofSite.filter(({ isFile }) => isFile).map(({ extension }) => extension)]
}

/** Returns the extensions, without dots, of the files that only the build can load. */
export function bundledExtensions(options: EsbuildSettings): string[] {
  const ofSite = [...Object.keys(options.loader), ...options.stylesheets.flatMap(({ extensions }) => extensions)]
  return ['css', ...assetExtensions(options), ...ofSite.map((extension) => extension.slice(1))]
}

export function bundleLoaders({ loader }: EsbuildSettings): Record<string, Loader> {
  return Object.fromEntries(Object.entries(loader).filter(([, name]) => name !== 'file'))
}

/** Lists the modules of a site that the server loads, by their files, in the order of evaluation. */
export function listServerModules({ components, serverFiles, serverPlugin }: DiscoveredSite): string[] {
  const files = sortByEvaluation([...components, ...serverFiles].map(({ file }) => file))
  return serverPlugin === null ? files : [serverPlugin, ...files]
}

/** Sorts files of `pages/` in the order of evaluation: the layouts from the root inwards, then the others. */
export function sortByEvaluation(files: readonly string[]): string[] {
  const levelOf = (file: string) => (/\/layout\.[^/]+$/.test(file) ? file.split('/').length : Number.POSITIVE_INFINITY)
  const sorted = files.toSorted().map((file) => ({ file, level: levelOf(file) }))
  return sorted.sort((a, b) => (a.level === b.level ? 0 : a.level - b.level)).map(({ file }) => file)
}

/** The exports of pages and layouts that the server reads. */
const SERVER_EXPORTS: readonly string[] = ['default', 'hydrate', ...PAGE_SERVER_EXPORTS]

/**
 * Writes the entry of the server. It imports each export by its name, if the names are certain: those of a CommonJS module
 * are unknown, and plugins may add exports.
 *
 * perf: esbuild writes an object with a getter for each export of `import * as`. Without them, the bundle of 10,000 pages is
 * imported in 281 ms of CPU instead of 441 ms, with 75 MB of resident memory instead of 123 MB, commit b7b94776
 */
function writeServerModule({ site, exports, options }: Omit<BundleInput, 'formPages'>): string {
  const lines = listServerModules(site).map((file, index) => {
    const isCertain = options.plugins.length === 0 && file !== site.serverPlugin
    const names = SERVER_EXPORTS.filter((name) => isCertain && exports.get(file)?.includes(name))
    const from = JSON.stringify(`./${file}`)
    const key = JSON.stringify(file)
    if (names.length === 0) return { imports: `* as module${index} from ${from}`, member: `${key}: module${index}` }
    const list = (between: string) => names.map((name) => `${name}${between}${name}${index}`).join(', ')
    return { imports: `{ ${list(' as ')} } from ${from}`, member: `${key}: { ${list(': ')} }` }
  })
  const imports = lines.map((line) => `import ${line.imports}\n`).join('')
  const members = lines.map(({ member }) => `  ${member},\n`).join('')
  return `${imports}export { links } from '${BASE_MODULE}'\nexport const modules = {\n${members}}\n`
}
