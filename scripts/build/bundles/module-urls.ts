import { readFile } from 'node:fs/promises'
import { basename, dirname, extname, resolve } from 'node:path'
import {
  type BuildOptions,
  build,
  type Loader,
  type OnLoadResult,
  type PartialMessage,
  type Plugin,
  type PluginBuild,
} from 'esbuild'
import { toSitePath } from '../../../src/server/util/paths.ts'
import { lineAt } from '../../build-problem.ts'
import { type Assets, contentHash, createAssets, nameAsset } from '../esbuild/assets.ts'
import { isServerFile } from '../esbuild/browser-guard.ts'
import { type BundleOptions, entryPath, inputPath, outputText, settle } from '../esbuild/bundler.ts'
import { isCompiled } from '../esbuild/hydrant-files.ts'
import type { CompileReact } from '../esbuild/react-compiler.ts'
import { isInstalled, resolveFile } from '../esbuild/resolve-file.ts'
import { rejectUnmatched } from '../output/mark-thrown.ts'
import { bundleWithPackages, findModuleUrls, listModuleUrls, type ModuleUrl } from './bundle-with-packages.ts'

export interface ModuleUrlsInput {
  siteDir: string
  /** The options of a worker's bundle, without the entry and the plugins for assets and these URLs. */
  options: BuildOptions & Pick<BundleOptions, 'write' | 'metafile'>
  /** Extensions of the files that a worker imports to get their URL. */
  extensions: readonly string[]
  /** Compiles the modules with such URLs. Without it, they are not compiled with React Compiler. */
  compileReact: CompileReact | null
  /** The modules of packages with such URLs (none), see `bundleWithPackages`. The others are not read. */
  packageModules?: ReadonlySet<string>
  /** Called with the files that a module needs for its URLs. Paths are absolute. */
  onLoaded?(path: string, files: readonly string[]): void
  /** The workers that start this one, outermost first (none). */
  chain?: readonly string[]
}

interface FoundUrls {
  path: string
  source: string
  urls: readonly ModuleUrl[]
}

/** A file that a URL leads to. */
interface Target {
  /** The name in the client folder. */
  name: string
  /** The contents of the file, and of those that it needs, by their names in the client folder. */
  files: ReadonlyMap<string, Uint8Array>
  /** The absolute paths of its sources, and of those of the workers that it starts. */
  inputs: string[]
}

const ABSOLUTE = /^(?:[a-z][a-z\d+.-]*:|\/)/i
/** The query and the fragment of a URL. */
const SUFFIX = /[?#].*$/

/**
 * Creates the plugin that publishes the files that modules for browsers name by `new URL('./file', import.meta.url)`, and
 * puts their new names into the modules. A worker becomes a bundle, and so does TypeScript. Other files are copied. A file
 * is not published if the code with its URL is not a part of the bundle.
 */
export function createModuleUrls(input: ModuleUrlsInput): Assets {
  const { siteDir, options, compileReact, packageModules = new Set(), onLoaded } = input
  const files = new Map<string, Uint8Array>()
  const { targets, publishOnce } = createPublisher(input)
  /** The URLs of the site's own modules that lead to no file. */
  const lost: { specifier: string; message: PartialMessage }[] = []

  const plugin: Plugin = {
    name: 'hydrant-module-urls',
    setup(plugged) {
      plugged.onStart(() => {
        files.clear()
        targets.clear()
        lost.length = 0
      })
      plugged.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path }): Promise<OnLoadResult | null> => {
        const isPackage = isInstalled(path)
        if ((isPackage && !packageModules.has(path)) || isCompiled(path)) return null
        const source = await readFile(path, 'utf8')
        const loader = options.loader?.[extname(path)] ?? loaderOf(path)
        const urls = (await findModuleUrls(source, loader)).filter(({ specifier }) => !ABSOLUTE.test(specifier))
        if (urls.length === 0) return null
        const { contents, inputs, errors } = await replaceUrls(plugged, { path, source, urls })
        onLoaded?.(path, inputs)
        // A package may start a worker that only Node.js can run.
        if (isPackage) return { contents, loader, warnings: errors, watchFiles: inputs }
        if (errors.length > 0) return { errors, watchFiles: inputs }
        const compiled = compileReact && (await compileReact(path, contents))
        if (!compiled) return { contents, loader, watchFiles: inputs }
        return { contents: compiled, loader: loader.endsWith('x') ? 'jsx' : 'js', watchFiles: inputs }
      })
      plugged.onEnd(async ({ outputFiles }) => {
        // Source maps contain code that is not a part of the bundle.
        const scripts = outputFiles?.filter(({ path }) => path.endsWith('.js'))
        for (const pending of targets.values()) {
          const target = await pending
          if (Array.isArray(target)) continue
          const isUsed = scripts === undefined || scripts.some(({ text }) => text.includes(target.name))
          if (isUsed) for (const [name, contents] of target.files) files.set(name, contents)
        }
        if (lost.length === 0) return null
        const left = new Set(scripts?.flatMap(({ text }) => listModuleUrls(text)))
        return { warnings: lost.filter(({ specifier }) => left.has(specifier)).map(({ message }) => message) }
      })
    },
  }

  async function replaceUrls(plugged: PluginBuild, { path, source, urls }: FoundUrls) {
    const errors: PartialMessage[] = []
    /** The absolute paths of the files that the contents depend on. */
    const inputs: string[] = []
    let contents = source
    // From the end, so that the positions before stay valid.
    for (const url of [...urls].reverse()) {
      const target = await findTarget(plugged, url, path)
      const suffix = SUFFIX.exec(url.specifier)?.[0] ?? ''
      if (Array.isArray(target)) errors.push(...target)
      else if (target) {
        const name = JSON.stringify(`./${target.name}${suffix}`)
        contents = contents.slice(0, url.start) + name + contents.slice(url.end)
        inputs.push(...target.inputs)
      } else {
        // The file may be written later.
        inputs.push(resolve(dirname(path), url.specifier.slice(0, -suffix.length || undefined)))
        // A package may have code for Node.js, with files that it does not publish.
        if (isInstalled(path)) continue
        const message = describeLost(url, source, toSitePath(siteDir, path))
        if (url.isWorker) errors.push(message)
        else lost.push({ specifier: url.specifier, message })
      }
    }
    return { contents, inputs, errors }
  }

  /** Returns the target of a URL; null if there is no such file, or if only the server uses it. */
  async function findTarget(plugged: PluginBuild, { specifier, isWorker }: ModuleUrl, importer: string) {
    const bare = specifier.replace(SUFFIX, '')
    // A URL without a dot is relative to the module, too. Bundlers also take it for a file of a package.
    for (const path of /^\.\.?\//.test(bare) ? [bare] : [`./${bare}`, bare]) {
      const found = await resolveFile(plugged, path, { kind: 'dynamic-import', resolveDir: dirname(importer) })
      if (found.errors.length > 0 || found.external || found.namespace !== 'file') continue
      const isPrivate = basename(found.path).startsWith('.') || isServerFile(siteDir, found.path)
      // For a worker, the error of the bundle gives the reason.
      if (isPrivate && !isWorker) return null
      return await publishOnce(found.path, isWorker || /\.(?:[cm]?ts|[jt]sx)$/.test(found.path))
    }
    return null
  }

  return { plugin, files }
}

/** Makes the files that URLs of modules lead to. Each file is made once. */
function createPublisher(input: ModuleUrlsInput) {
  const { siteDir, options, packageModules = new Set() } = input
  const targets = new Map<string, Promise<Target | PartialMessage[]>>()

  function publishOnce(file: string, isBundled: boolean) {
    const key = `${isBundled} ${file}`
    const pending = targets.get(key) ?? (isBundled ? bundle(file) : copy(file))
    targets.set(key, pending)
    return pending
  }

  async function copy(file: string): Promise<Target> {
    const contents = await readFile(file)
    const name = nameAsset(file, contents)
    return { name, files: new Map([[name, contents]]), inputs: [file] }
  }

  async function bundle(file: string): Promise<Target | PartialMessage[]> {
    const { chain = [] } = input
    if (chain.includes(file)) return [{ text: `The worker ${toSitePath(siteDir, file)} starts itself` }]
    const made = await bundleWithPackages(
      siteDir,
      (modules) => bundleWith(file, modules),
      (first) => ('errors' in first ? null : first.result),
      packageModules,
    )
    if ('errors' in made) return made.errors
    const { result, parts, inner } = made
    const { code } = rejectUnmatched({ code: outputText(result.outputFiles, '.js'), map: null })
    const script = Buffer.from(code)
    const name = `${contentHash(script)}.js`
    const inputs = Object.keys(result.metafile.inputs).map((path) => resolve(siteDir, inputPath(path)))
    const others = parts.flatMap((part) => [...part.files])
    return { name, files: new Map([[name, script], ...others]), inputs: [...inputs, ...inner] }
  }

  async function bundleWith(file: string, modules: ReadonlySet<string>) {
    const inner: string[] = []
    const urls = createModuleUrls({
      ...input,
      packageModules: modules,
      chain: [...(input.chain ?? []), file],
      onLoaded: (_path, sources) => inner.push(...sources),
    })
    const parts = [createAssets('browser', input.extensions), urls]
    const plugins = [...(options.plugins ?? []), ...parts.map((part) => part.plugin)]
    const outcome = await settle(() =>
      build({ ...options, plugins, entryPoints: [entryPath(siteDir, file)], outdir: siteDir }),
    )
    return outcome.ok ? { result: outcome.result, parts, inner } : { errors: outcome.errors }
  }

  return { targets, publishOnce }
}

/** Describes a URL that leads to no file. `file` is the path of the module in the site. */
function describeLost({ specifier, start }: ModuleUrl, source: string, file: string): PartialMessage {
  const before = source.slice(0, start).split('\n')
  const lineText = lineAt(source, before.length) ?? ''
  // esbuild counts columns in bytes.
  const column = Buffer.byteLength(before.at(-1) ?? '')
  const location = { file, line: before.length, column, lineText }
  return { text: `Could not resolve "${specifier}"`, location }
}

function loaderOf(path: string): Loader {
  const extension = extname(path)
  if (extension === '.tsx' || extension === '.jsx') return extension === '.tsx' ? 'tsx' : 'jsx'
  return extension.includes('ts') ? 'ts' : 'js'
}
