import { isAbsolute } from 'node:path'
import { type BuildOptions, build, type Loader, type Message, type Metafile, type Plugin } from 'esbuild'
import { toSitePath } from '../../../src/server/util/to-site-path.ts'
import { type BuildProblem, createProblem } from '../../build-problem.ts'
import { ASSET_EXTENSIONS } from '../esbuild/assets.ts'
import { isBrowserGuardDetail } from '../esbuild/browser-guard.ts'
import { settle } from '../esbuild/incremental-build.ts'
import { readLocation } from './translate-message.ts'

/**
 * Explains each import that the browser guard refused, with the shortest chain of imports from a page:
 * `pages/a.tsx → components/b.tsx → db.server.ts`.
 */
export async function explainRefusals(
  messages: readonly Message[],
  entries: readonly string[],
  bundle: BuildOptions,
): Promise<BuildProblem[]> {
  if (messages.length === 0) return []
  const siteDir = bundle.absWorkingDir ?? ''
  const targets = messages.flatMap(({ detail }) => (isBrowserGuardDetail(detail) ? [detail.target] : []))
  const graph = await readImports(entries, targets, bundle)
  const found = findParents(graph, entries)
  const problems = new Map<string, BuildProblem>()
  for (const message of messages) {
    if (!isBrowserGuardDetail(message.detail)) continue
    const { target } = message.detail
    const targetName = isAbsolute(target) ? toSitePath(siteDir, target) : target
    const location = readLocation(message)
    const chain = [...(location ? chainTo(found, location.file) : []), targetName]
    const problem = createProblem('HYD_BUILD_SERVER_IN_BROWSER', [targetName, chain.join(' → ')], location)
    // A package for Node imports many built-in modules; report the package once.
    const inPackage = chain.findIndex((file) => file.includes('node_modules/'))
    const key = inPackage === -1 ? `${location?.line} ${chain.join('\n')}` : chain.slice(0, inPackage + 1).join('\n')
    if (!problems.has(key)) problems.set(key, problem)
  }
  return [...problems.values()]
}

async function readImports(
  entries: readonly string[],
  targets: readonly string[],
  bundle: BuildOptions,
): Promise<Metafile['inputs']> {
  const skipped = new Set(targets)
  const loader: Record<string, Loader> = { ...bundle.loader, '.css': 'empty' }
  for (const extension of ASSET_EXTENSIONS) loader[`.${extension}`] = 'empty'
  const options = { ...bundle, loader, entryPoints: [...entries], plugins: [createSkipping(skipped)] }
  // esbuild returns no graph when a single import fails: skip that import and try again.
  for (let attempt = 0; attempt < 5; attempt++) {
    const outcome = await settle(() => build({ ...options, write: false, metafile: true }))
    if (outcome.ok) return outcome.result.metafile.inputs
    for (const { text, location } of outcome.errors) {
      const extension = /^No loader is configured for "(.*)" files/.exec(text)?.[1]
      const specifier = /^Could not resolve "(.*)"/.exec(text)?.[1]
      if (extension !== undefined) loader[extension] = 'empty'
      else skipped.add(specifier ?? location?.file ?? '')
    }
  }
  return {}
}

/** Skips the imports in `skipped`, which holds specifiers and the paths of files. */
function createSkipping(skipped: ReadonlySet<string>): Plugin {
  return {
    name: 'hydrant-skipping',
    setup({ initialOptions, onResolve, onLoad }) {
      const siteDir = initialOptions.absWorkingDir ?? ''
      onResolve({ filter: /./ }, ({ path }) => (skipped.has(path) ? { path, external: true } : null))
      onLoad({ filter: /./, namespace: 'file' }, ({ path }) =>
        skipped.has(path) || skipped.has(toSitePath(siteDir, path)) ? { contents: '' } : null,
      )
    },
  }
}

function findParents(graph: Metafile['inputs'], entries: readonly string[]): Map<string, string | null> {
  const parents = new Map<string, string | null>(entries.map((entry) => [entry, null]))
  // The loop visits the entries that it adds: a breadth-first search, so every chain is a shortest one.
  for (const [file] of parents) {
    for (const { path } of graph[file]?.imports ?? []) if (!parents.has(path)) parents.set(path, file)
  }
  return parents
}

function chainTo(parents: ReadonlyMap<string, string | null>, file: string): string[] {
  const chain = [file]
  for (let parent = parents.get(file); parent; parent = parents.get(parent)) chain.unshift(parent)
  return chain
}
