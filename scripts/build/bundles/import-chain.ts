import { isAbsolute } from 'node:path'
import { type BuildOptions, build, type Loader, type Message, type Metafile, type Plugin } from 'esbuild'
import { type BuildProblem, createProblem } from '../../build-problem.ts'
import { ASSET_EXTENSIONS } from '../esbuild/assets.ts'
import { isBrowserGuardDetail } from '../esbuild/browser-guard.ts'
import { toSitePath } from '../esbuild/css-module.ts'
import { settle } from '../esbuild/incremental-build.ts'
import { readPlace } from './translate-message.ts'

/**
 * Says for each import that the browser guard refused how the browser would come to it:
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
    const shown = isAbsolute(target) ? toSitePath(siteDir, target) : target
    const place = readPlace(message)
    const chain = [...(place ? chainTo(found, place.file) : []), shown]
    const problem = createProblem('HYD_BUILD_SERVER_IN_BROWSER', [shown, chain.join(' → ')], place)
    // A package for Node imports many builtins; the first says it all.
    const inPackage = chain.findIndex((file) => file.includes('node_modules/'))
    const key = inPackage === -1 ? `${place?.line} ${chain.join('\n')}` : chain.slice(0, inPackage + 1).join('\n')
    if (!problems.has(key)) problems.set(key, problem)
  }
  return [...problems.values()]
}

async function readImports(
  entries: readonly string[],
  targets: readonly string[],
  bundle: BuildOptions,
): Promise<Metafile['inputs']> {
  const passedOver = new Set(targets)
  const loader: Record<string, Loader> = { ...bundle.loader, '.css': 'empty' }
  for (const extension of ASSET_EXTENSIONS) loader[`.${extension}`] = 'empty'
  const options = { ...bundle, loader, entryPoints: [...entries], plugins: [createTolerance(passedOver)] }
  // What cannot be read takes the whole graph with it: pass over it and look again.
  for (let attempt = 0; attempt < 5; attempt++) {
    const outcome = await settle(() => build({ ...options, write: false, metafile: true }))
    if (outcome.ok) return outcome.result.metafile.inputs
    for (const { text, location } of outcome.errors) {
      const extension = /^No loader is configured for "(.*)" files/.exec(text)?.[1]
      const specifier = /^Could not resolve "(.*)"/.exec(text)?.[1]
      if (extension !== undefined) loader[extension] = 'empty'
      else passedOver.add(specifier ?? location?.file ?? '')
    }
  }
  return {}
}

/** Follows what can be followed: `passedOver` holds what was imported, or files by their paths. */
function createTolerance(passedOver: ReadonlySet<string>): Plugin {
  return {
    name: 'hydrant-tolerance',
    setup({ initialOptions, onResolve, onLoad }) {
      const siteDir = initialOptions.absWorkingDir ?? ''
      onResolve({ filter: /./ }, ({ path }) => (passedOver.has(path) ? { path, external: true } : null))
      onLoad({ filter: /./, namespace: 'file' }, ({ path }) =>
        passedOver.has(path) || passedOver.has(toSitePath(siteDir, path)) ? { contents: '' } : null,
      )
    },
  }
}

function findParents(graph: Metafile['inputs'], entries: readonly string[]): Map<string, string | null> {
  const parents = new Map<string, string | null>(entries.map((entry) => [entry, null]))
  // The map grows while it is walked, nearest files first, so that every chain is a shortest one.
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
