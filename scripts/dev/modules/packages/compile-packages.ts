import { readFile, writeFile } from 'node:fs/promises'
import { join, posix, resolve } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { toSitePath } from '../../../../src/server/util/paths.ts'
import { assetExtensions, bundleLoaders, shared } from '../../../build/bundles/bundle-options.ts'
import { bundleWithPackages } from '../../../build/bundles/bundle-with-packages.ts'
import type { EsbuildSettings } from '../../../build/bundles/esbuild-options.ts'
import { contentHash, createAssets } from '../../../build/esbuild/assets.ts'
import { VIRTUAL_ID } from '../../../build/esbuild/bundler.ts'
import { HYDRANT_FILES } from '../../../build/esbuild/hydrant-files.ts'
import { createHydrantModules, importOf } from '../../../build/esbuild/hydrant-modules.ts'
import { readPackage } from '../../../build/esbuild/resolve-file.ts'
import { createVirtualModules, VIRTUAL, type VirtualModule } from '../../../build/esbuild/virtual-modules.ts'
import { createDevModuleUrls } from '../compile-with-plugins.ts'
import { REQUIRED } from '../site-graph.ts'
import { listCommonJsNames, type PackageBundle, type PackageScript } from './package-cache.ts'

export interface PackageCompilation {
  siteDir: string
  /** The folder that the files are written to. Source maps depend on its depth, but not on its name. */
  outdir: string
  settings: EsbuildSettings
  /** The packages besides React and Hydrant. */
  specifiers: readonly string[]
  /** Whether React checks components in strict mode. */
  isStrict: boolean
}

export interface CompiledPackages extends Pick<PackageBundle, 'entry' | 'imports' | 'scripts'> {
  metafile: Metafile
}

/** Before the specifier of a package that modules import. */
const IMPORT = 'import:'
/** The modules that a page has one copy of, and that hold its state. Packages get them from the runtime. */
const SINGLE = ['hydrant/react', 'react', 'react-dom', 'react-dom/client']
const JSX_RUNTIME = 'react/jsx-runtime'
/** The packages that every page has. */
export const ALWAYS: readonly string[] = [...SINGLE, JSX_RUNTIME]
const PROVIDED = 'hydrant-page'
const MISSING = 'hydrant-missing'
/** The scripts that every page evaluates first, in this order: React finds the hook of Fast Refresh when it starts. */
const START: readonly VirtualModule[] = [
  { name: 'hydrant-dev', contents: importOf(HYDRANT_FILES.devPreamble) },
  { name: 'hydrant-react', contents: provide(SINGLE) },
  { name: 'hydrant', contents: importOf(HYDRANT_FILES.clientEntry) },
]

/**
 * Compiles packages for the browser: a script for each, and chunks with the code that several of them use. A page loads
 * only those that its modules import. React and Hydrant are compiled without the other packages, so that their scripts
 * stay the same when a package is added. Rejects with esbuild's BuildFailure.
 */
export async function compilePackages(input: PackageCompilation): Promise<CompiledPackages> {
  const { outdir, specifiers } = input
  const isRequired = (name: string) => name.startsWith(REQUIRED)
  const required = specifiers.filter(isRequired).map((name) => {
    return { name, contents: requireLater(name.slice(REQUIRED.length)) }
  })
  const imported = specifiers.filter((name) => !isRequired(name))
  const base = await compile(input, { modules: START, imported: ALWAYS, plugins: [] })
  const others = await compile(input, { modules: required, imported, plugins: [createProvidedModules()] })
  const starts = base.modules.map(({ file }) => file)
  const code = starts.map((name) => `import ${JSON.stringify(`./${name}`)}\n`).join('')
  const entry = `hydrant-${contentHash(code)}.js`
  await writeFile(join(outdir, entry), code)
  return {
    metafile: {
      inputs: { ...base.metafile.inputs, ...others.metafile.inputs },
      outputs: { ...base.metafile.outputs, ...others.metafile.outputs },
    },
    entry,
    imports: staticImports(base.metafile, starts),
    scripts: Object.fromEntries([
      ...ALWAYS.map((name, index) => [name, base.imported[index]]),
      ...required.map(({ name }, index) => [name, others.modules[index]]),
      ...imported.map((name, index) => [name, others.imported[index]]),
    ]),
  }
}

interface Entries {
  modules: readonly VirtualModule[]
  /** Specifiers of packages. */
  imported: readonly string[]
  plugins: readonly Plugin[]
}

async function compile(
  { siteDir, outdir, settings, isStrict }: PackageCompilation,
  { modules, imported, plugins }: Entries,
) {
  const assets = createAssets('browser', assetExtensions(settings))
  const packages = createImportedPackages(siteDir)
  const bundle = async (packageModules: ReadonlySet<string>) => {
    const urls = createDevModuleUrls({ siteDir, settings, plugins: settings.plugins, packageModules })
    const result = await build({
      ...shared({ siteDir, options: settings }),
      entryPoints: [
        ...modules.map(({ name }) => ({ in: `${VIRTUAL}:${name}`, out: name.replace(/[^\w]+/g, '-') })),
        ...imported.map((name) => ({ in: IMPORT + name, out: `package${`/${name}`.replace(/[^\w]+/g, '-')}` })),
      ],
      entryNames: '[name]-[hash]',
      chunkNames: 'chunk-[hash]',
      assetNames: '[name]-[hash]',
      outdir,
      platform: 'browser',
      target: 'es2022',
      splitting: true,
      sourcemap: 'linked',
      metafile: true,
      write: false,
      define: {
        ...settings.define,
        'process.env.NODE_ENV': '"development"',
        HYDRANT_BROWSER: 'true',
        HYDRANT_DEV: 'true',
        HYDRANT_ESM_SITE: String(readPackage(siteDir).type === 'module'),
        HYDRANT_STRICT: String(isStrict),
      },
      loader: { '.css': 'empty', ...bundleLoaders(settings) },
      plugins: [
        createVirtualModules(siteDir, modules),
        packages.plugin,
        ...settings.plugins,
        ...plugins,
        createHydrantModules(siteDir),
        assets.plugin,
        urls.plugin,
      ],
    })
    return { result, urls }
  }
  const { result, urls } = await bundleWithPackages(siteDir, bundle, (made) => made.result)
  const { metafile, outputFiles } = result
  for (const { path, contents } of outputFiles) await writeFile(path, contents)
  for (const [name, bytes] of [...assets.files, ...urls.files]) await writeFile(join(outdir, name), bytes)
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, { entryPoint }]) => [entryPoint, path]))
  const inputs = {
    // A module of a plugin, and one that the package leaves out of browsers, have a colon in the id.
    read: async (id: string) => (VIRTUAL_ID.test(id) ? '' : await readFile(resolve(siteDir, id), 'utf8')),
    find: (id: string, specifier: string) =>
      metafile.inputs[id]?.imports.find(({ original }) => original === specifier)?.path ?? null,
  }
  async function scriptOf(entryPoint: string): Promise<PackageScript> {
    const isCommonJs = metafile.inputs[entryPoint]?.format !== 'esm'
    const names = isCommonJs ? await listCommonJsNames(entryPoint, inputs) : []
    return { file: posix.basename(outputs.get(entryPoint) ?? ''), isCommonJs, names }
  }
  return {
    metafile,
    /** The scripts of the entries, in their order. */
    modules: await Promise.all(modules.map(({ name }) => scriptOf(`${VIRTUAL}:${name}`))),
    imported: await Promise.all(imported.map((name) => scriptOf(packages.paths.get(name) ?? ''))),
  }
}

/**
 * Returns a module whose default export returns a required package, which is evaluated then. If there is no such package,
 * it throws: esbuild allows that in a `try`. The scan of the site has found the packages that must exist.
 */
function requireLater(specifier: string): string {
  return `export default () => { try { return require(${JSON.stringify(specifier)}) } catch (error) { throw error } }\n`
}

function provide(specifiers: readonly string[]): string {
  const members = specifiers.map((name, index) => `${JSON.stringify(name)}: module${index}`)
  const imports = specifiers.map((name, index) => `import * as module${index} from ${JSON.stringify(name)}\n`)
  return `${imports.join('')}__hydrant_dev__.provide({ ${members.join(', ')} })\n`
}

/** Replaces the modules that a page has one copy of by those of the page. */
function createProvidedModules(): Plugin {
  return {
    name: 'hydrant-provided-modules',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^(?:${SINGLE.join('|')})$`) }, ({ path }) => ({
        path,
        namespace: PROVIDED,
      }))
      build.onLoad({ filter: /^/, namespace: PROVIDED }, ({ path }) => ({
        contents: `module.exports = __hydrant_dev__.provided(${JSON.stringify(path)})\n`,
      }))
    },
  }
}

/**
 * Resolves entries as `import` does. `paths` then has the paths of their modules in the metafile, by their specifiers. If
 * there is no such package, its script throws: a module may catch the error of an `import()`.
 */
function createImportedPackages(siteDir: string): { plugin: Plugin; paths: ReadonlyMap<string, string> } {
  const paths = new Map<string, string>()
  return {
    paths,
    plugin: {
      name: 'hydrant-imported-packages',
      setup(build) {
        build.onResolve({ filter: new RegExp(`^${IMPORT}`) }, async ({ path }) => {
          const specifier = path.slice(IMPORT.length)
          const resolved = await build.resolve(specifier, { kind: 'import-statement', resolveDir: siteDir })
          const [error] = resolved.errors
          const found = error ? { path: error.text, namespace: MISSING } : resolved
          const { namespace } = found
          paths.set(specifier, namespace === 'file' ? toSitePath(siteDir, found.path) : `${namespace}:${found.path}`)
          return found
        })
        build.onLoad({ filter: /^/, namespace: MISSING }, ({ path }) => ({
          contents: `throw new Error(${JSON.stringify(path)})\nexport {}\n`,
        }))
      },
    },
  }
}

/** Returns the names of scripts and of the scripts that they import statically. */
function staticImports({ outputs }: Metafile, names: readonly string[]): string[] {
  const byName = new Map(Object.entries(outputs).map(([path, output]) => [posix.basename(path), output]))
  const found = new Set(names)
  for (const name of found) {
    for (const { path, kind, external } of byName.get(name)?.imports ?? []) {
      if (kind === 'import-statement' && !external) found.add(posix.basename(path))
    }
  }
  return [...found]
}
