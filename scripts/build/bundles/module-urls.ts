import { readFile } from 'node:fs/promises'
import { dirname, extname, parse, resolve } from 'node:path'
import { type BuildOptions, build, type Loader, type OnLoadResult, type PartialMessage, type Plugin } from 'esbuild'
import { toSitePath } from '../../../src/server/util/to-site-path.ts'
import { type Assets, createAssets } from '../esbuild/assets.ts'
import { contentHash } from '../esbuild/content-hash.ts'
import { isCompiled } from '../esbuild/hydrant-files.ts'
import { type BundleOptions, settle } from '../esbuild/incremental-build.ts'
import { inputPath } from '../esbuild/input-path.ts'
import { outputText } from '../esbuild/output-files.ts'
import type { CompileReact } from '../esbuild/react-compiler.ts'
import { resolveFile } from '../esbuild/resolve-file.ts'
import { rejectUnmatched } from '../output/reject-unmatched.ts'
import { findWorkers, mayStartWorker, type StartedWorker } from './find-workers.ts'

export interface WorkersInput {
  siteDir: string
  /** The options of a worker's bundle, without the entry and the plugins for assets and workers. */
  options: BuildOptions & Pick<BundleOptions, 'write' | 'metafile'>
  /** Extensions of the files that a worker imports to get their URL. */
  extensions: readonly string[]
  /** Compiles the modules that start workers. Without it, they are not compiled with React Compiler. */
  compileReact: CompileReact | null
  /** Called with the files of the workers that a module starts. Paths are absolute. */
  onLoaded?(path: string, files: readonly string[]): void
  /** The workers that start this one, outermost first (none). */
  chain?: readonly string[]
}

interface WorkerBundle {
  /** The name in the client folder. */
  name: string
  /** The absolute paths of its sources, and of those of the workers that it starts. */
  inputs: string[]
}

/**
 * Creates the plugin that bundles the workers of the site's modules, each into one script with a hashed name, and puts
 * that name into the call which starts the worker.
 */
export function createWorkers(input: WorkersInput): Assets {
  const { siteDir, options, compileReact, onLoaded } = input
  const files = new Map<string, Uint8Array>()
  const bundles = new Map<string, Promise<WorkerBundle | PartialMessage[]>>()

  const plugin: Plugin = {
    name: 'hydrant-workers',
    setup(plugged) {
      plugged.onStart(() => {
        files.clear()
        bundles.clear()
      })
      plugged.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path }): Promise<OnLoadResult | null> => {
        if (path.includes('/node_modules/') || isCompiled(path)) return null
        const source = await readFile(path, 'utf8')
        if (!mayStartWorker(source)) return null
        const loader = options.loader?.[extname(path)] ?? loaderOf(path)
        const workers = await findWorkers(source, loader)
        const errors: PartialMessage[] = []
        const inputs: string[] = []
        let contents = source
        // From the end, so that the positions before stay valid.
        for (const worker of workers.reverse()) {
          const file = await findFile(worker, path)
          const bundle = file === null ? [notFound(worker, source, toSitePath(siteDir, path))] : await bundleOnce(file)
          if (Array.isArray(bundle)) errors.push(...bundle)
          else {
            contents = `${contents.slice(0, worker.start)}"./${bundle.name}"${contents.slice(worker.end)}`
            inputs.push(...bundle.inputs)
          }
        }
        onLoaded?.(path, inputs)
        if (errors.length > 0) return { errors, watchFiles: inputs }
        const compiled = compileReact && (await compileReact(path, contents))
        if (!compiled) return { contents, loader, watchFiles: inputs }
        return { contents: compiled, loader: loader.endsWith('x') ? 'jsx' : 'js', watchFiles: inputs }
      })

      async function findFile({ specifier }: StartedWorker, importer: string): Promise<string | null> {
        // A URL without a dot is relative to the module, too.
        const path = /^\.\.?\//.test(specifier) ? specifier : `./${specifier}`
        const found = await resolveFile(plugged, path, { kind: 'dynamic-import', resolveDir: dirname(importer) })
        return found.errors.length > 0 || found.external || found.namespace !== 'file' ? null : found.path
      }
    },
  }

  function bundleOnce(file: string) {
    const pending = bundles.get(file) ?? bundle(file)
    bundles.set(file, pending)
    return pending
  }

  async function bundle(file: string): Promise<WorkerBundle | PartialMessage[]> {
    const { chain = [] } = input
    if (chain.includes(file)) return [{ text: `The worker ${toSitePath(siteDir, file)} starts itself` }]
    const inner: string[] = []
    const workers = createWorkers({
      ...input,
      chain: [...chain, file],
      onLoaded: (_path, sources) => inner.push(...sources),
    })
    const parts = [createAssets('browser', input.extensions), workers]
    const plugins = [...(options.plugins ?? []), ...parts.map((part) => part.plugin)]
    const outcome = await settle(() => build({ ...options, plugins, entryPoints: [file], outdir: siteDir }))
    if (!outcome.ok) return outcome.errors
    const { outputFiles, metafile } = outcome.result
    const { code } = rejectUnmatched({ code: outputText(outputFiles, '.js'), map: null })
    const script = Buffer.from(code)
    const name = `${parse(file).name.replace(/[^\w.-]+/g, '-')}-${contentHash(script)}.js`
    files.set(name, script)
    for (const part of parts) for (const [asset, contents] of part.files) files.set(asset, contents)
    const inputs = Object.keys(metafile.inputs).map((path) => resolve(siteDir, inputPath(path)))
    return { name, inputs: [...inputs, ...inner] }
  }

  return { plugin, files }
}

/** Returns the error of a worker that is not found. `file` is the path of the module in the site. */
function notFound({ specifier, start }: StartedWorker, source: string, file: string): PartialMessage {
  const before = source.slice(0, start).split('\n')
  const lineText = source.split('\n')[before.length - 1] ?? ''
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
