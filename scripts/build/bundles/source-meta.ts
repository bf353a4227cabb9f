import { realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, extname, join, resolve } from 'node:path'
import { type EncodedSourceMap, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import { type Loader, type OnLoadResult, type Plugin, transform } from 'esbuild'
import { toSource } from '../../../src/server/failures/stacks/source-map-file.ts'
import { VIRTUAL_ID } from '../esbuild/bundler.ts'
import { isCompiled } from '../esbuild/hydrant-files.ts'
import { loaderOf } from '../esbuild/resolve-file.ts'
import { createPositions, nodesIn, parseScript } from '../output/edit-script.ts'

const NAMESPACE = 'hydrant-source'

/** As long as `import.meta`, so that no position in the source changes. */
const NAME = 'hydrantMeta'

const SCRIPT = /\.[cm]?[jt]sx?$/

/** Matches `import.meta` before a property that depends on the place of a module, and where it is used as a whole. */
const PLACE = /\bimport\.meta\b(?!\s*\.(?!\s*(?:url|dirname|filename)\b))/g

/** The comment with the path that esbuild writes before each module. */
const MODULE = /^\/\/ (.+)$/gm

/** Finds modules that may use their place. Few do, and a plugin that reads all costs a tenth of a build. */
export function findPlaced(code: string, inputs: Readonly<Record<string, unknown>>): string[] {
  const starts = [...code.matchAll(MODULE)].flatMap(({ 1: file = '', index }) =>
    // A line of a text may look like such a comment.
    Object.hasOwn(inputs, file) ? [{ file, index }] : [],
  )
  const uses = [...code.matchAll(PLACE)].map(({ index }) => starts.findLast((start) => start.index < index)?.file)
  return [...new Set(uses)]
    .filter((file) => file !== undefined)
    .filter((file) => SCRIPT.test(file) && !VIRTUAL_ID.test(file))
}

/**
 * Makes `url`, `dirname` and `filename` of `import.meta` in a bundle of Node.js those of a module's source, as without a
 * bundle. Otherwise they lead to the build folder: a module would not find the files beside it, and the next build would
 * remove the files that it has written there. The bundle contains relative paths, so it may be moved together with the
 * site.
 *
 * @param bundle The path of the bundle in the site's folder.
 * @param files The modules that may use their place, by the paths of the inputs.
 */
export function createSourceMeta(siteDir: string, bundle: string, files: readonly string[]): Plugin {
  const root = realpathSync(siteDir)
  const folder = dirname(join(root, bundle))
  const paths = files.map((file) => resolve(root, file).replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return {
    name: 'hydrant-source-meta',
    setup({ initialOptions, onResolve, onLoad }) {
      const filter = new RegExp(`^(?:${paths.join('|')})$`)
      onLoad({ filter, namespace: 'file' }, async ({ path }): Promise<OnLoadResult | null> => {
        if (isCompiled(path)) return null
        const source = await readFile(path, 'utf8')
        const loader = initialOptions.loader?.[extname(path)] ?? loaderOf(path)
        const contents = await rename(source, loader)
        if (contents === source) return null
        const specifier = `${NAMESPACE}:${toSource(folder, path)}`
        return { contents: `${contents}\nimport * as ${NAME} from ${JSON.stringify(specifier)}\n`, loader }
      })
      onResolve({ filter: /^hydrant-source:/ }, ({ path }) => ({
        path: path.slice(NAMESPACE.length + 1),
        namespace: NAMESPACE,
        sideEffects: false,
      }))
      onLoad({ filter: /^/, namespace: NAMESPACE }, ({ path }) => ({ contents: writeModule(path), loader: 'js' }))
    },
  }
}

/** Renames `import.meta`, but not in comments and texts. */
async function rename(source: string, loader: Loader): Promise<string> {
  const options = { loader, jsx: 'automatic', sourcemap: 'external', logLevel: 'silent' } as const
  // esbuild reports the errors of a source that it cannot compile when it loads the module.
  const script = await transform(source, options).catch(() => null)
  if (!script) return source
  // esbuild has written the map.
  const trace = new TraceMap(JSON.parse(script.map) as EncodedSourceMap)
  const positionOf = createPositions(script.code)
  const places = new Set<string>()
  for (const node of nodesIn(parseScript(script.code))) {
    if (node.type !== 'MetaProperty') continue
    const [line, column] = positionOf(node.start)
    const original = originalPositionFor(trace, { line: line + 1, column })
    places.add(`${(original.line ?? 0) - 1}:${original.column}`)
  }
  const positionIn = createPositions(source)
  return source.replace(PLACE, (text, offset: number) => (places.has(positionIn(offset).join(':')) ? NAME : text))
}

function writeModule(path: string): string {
  const url = path.startsWith('file://') ? path : path.split('/').map(encodeURIComponent).join('/')
  return `import { dirname as dirnameOf } from 'node:path'
import { fileURLToPath } from 'node:url'
export const url = new URL(${JSON.stringify(url)}, import.meta.url).href
export const filename = fileURLToPath(url)
export const dirname = dirnameOf(filename)
export const resolve = (specifier) => import.meta.resolve(specifier)
`
}
