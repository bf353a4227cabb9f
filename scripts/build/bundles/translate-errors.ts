import { readdir, readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path'
import { type BuildOptions, build, type Loader, type Message, type Metafile, type Plugin } from 'esbuild'
import { toSitePath } from '../../../src/server/util/paths.ts'
import { type BuildProblem, createProblem, fileAt, type SourceLocation } from '../../build-problem.ts'
import type { DiscoveredSite } from '../discover/discover-site.ts'
import { ASSET_EXTENSIONS } from '../esbuild/assets.ts'
import { isBrowserGuardDetail } from '../esbuild/browser-guard.ts'
import { isBuildFailure, settle } from '../esbuild/bundler.ts'
import { isExported } from './read-exports.ts'
import {
  isAboutBrowserGuard,
  isAboutLoader,
  isAboutVirtualModule,
  isOfSitePlugin,
  placeOfTrigger,
  readLocation,
  readMissingName,
  translateMessage,
} from './translate-message.ts'

/** Translates the errors of a site's bundles. `client` are the options of the browser's bundle. */
export async function translateErrors(
  messages: readonly Message[],
  site: DiscoveredSite,
  client: BuildOptions,
): Promise<BuildProblem[]> {
  const refused = messages.filter(isAboutBrowserGuard)
  const entries = site.components.map(({ file }) => file)
  // `checkExports` reports a missing default export, at the file of the site instead of a module of the build.
  const isReported = (message: Message) => isAboutVirtualModule(message) && !isAboutLoader(message)
  const rest = messages.filter((message) => !isAboutBrowserGuard(message) && !isReported(message))
  const [bySitePlugin, byEsbuild] = [rest.filter(isOfSitePlugin), rest.filter((message) => !isOfSitePlugin(message))]
  const siteDir = client.absWorkingDir ?? '.'
  const translated = await Promise.all(byEsbuild.map((message) => translateError(siteDir, message)))
  const found = [...translated, ...(await explainRefusals(refused, entries, client))]
  // A plugin gives places in the source of an .mdx file. The others are in the script that the plugin has compiled.
  const placed = found.map((problem) => placeInMdx(siteDir, problem))
  return [...bySitePlugin.map(translateMessage), ...(await Promise.all(placed))]
}

/** Gives a problem in the script that was compiled from an `.mdx` file its place in that file. */
async function placeInMdx(siteDir: string, problem: BuildProblem): Promise<BuildProblem> {
  const { location } = problem
  if (!location?.file.endsWith('.mdx') || location.line === null) return problem
  return { ...problem, location: await findSource(siteDir, location) }
}

/** Returns the first line with the string or the name at a place of the script; the file as a whole without one. */
async function findSource(siteDir: string, { file, column, lineText }: SourceLocation): Promise<SourceLocation> {
  const [token] = /^(?:"[^"]*"|'[^']*'|[\w$]+)/.exec(lineText?.slice((column ?? 1) - 1) ?? '') ?? []
  if (token === undefined) return fileAt(file)
  const lines = (await readFile(resolve(siteDir, file), 'utf8')).split(/\r?\n/)
  const index = lines.findIndex((line) => line.includes(token))
  const found = lines[index]
  return found === undefined
    ? fileAt(file)
    : { file, line: index + 1, column: found.indexOf(token) + 1, lineText: found }
}

/**
 * Translates an error of esbuild into an error of Hydrant's table. It also suggests the other form of an import: by
 * name, if the module has no default export, or the default export, if the module has no such name. It names the file
 * if only the case of its name is wrong.
 */
export async function translateError(siteDir: string, message: Message): Promise<BuildProblem> {
  const wrongCase = await explainWrongCase(siteDir, message)
  if (wrongCase) return wrongCase
  const problem = translateMessage(message)
  const missing = readMissingName(message)
  if (!missing || missing.meant.length > 0 || !problem.location) return problem
  const { module, name } = missing
  const other = name === 'default' ? importedAs(problem.location) : 'default'
  if (other === undefined || !(await isExported(siteDir, module, other))) return problem
  const statement = name === 'default' ? `import { ${other} }` : `import ${name}`
  return createProblem('HYD_BUILD_IMPORT_NAME', [module, name, `; did you mean "${statement}"?`], problem.location)
}

/** Returns the problems of esbuild's BuildFailure. Throws every other error. */
export async function translateFailure(siteDir: string, error: unknown): Promise<BuildProblem[]> {
  if (!isBuildFailure(error)) throw error
  return await Promise.all(error.errors.map((message) => translateError(siteDir, message)))
}

/** Returns the name that a module gives to the default export of another one. */
function importedAs({ lineText, column }: SourceLocation): string | undefined {
  const name = /^[\w$]+/.exec(lineText?.slice((column ?? 1) - 1) ?? '')?.[0]
  return name === 'default' ? undefined : name
}

/** esbuild finds a file in any case, and then it or a plugin of Hydrant cannot open it. */
const UNREADABLE = /^(?:Cannot read file: (.*)|ENOENT: no such file or directory, open '(.*)')$/
const UNRESOLVED = /^Could not resolve "(\.{1,2}\/.*)"$/

/** Explains the import of a file whose name is in another case; null for other messages, and without such a file. */
async function explainWrongCase(siteDir: string, message: Message): Promise<BuildProblem | null> {
  const location = placeOfTrigger(message) ?? readLocation(message)
  const [, unreadable, opened] = UNREADABLE.exec(message.text) ?? []
  const [, specifier] = UNRESOLVED.exec(message.text) ?? []
  const imported = specifier !== undefined && location ? resolve(siteDir, dirname(location.file), specifier) : undefined
  const path = unreadable ?? opened ?? imported
  const found = path === undefined ? null : await findInAnyCase(path)
  if (path === undefined || found === null) return null
  const [, written] = /^(?:"|')(.*?)["']/.exec(location?.lineText?.slice((location.column ?? 1) - 1) ?? '') ?? []
  const hint = `; the name of the file is ${toSitePath(siteDir, found)}`
  return createProblem('HYD_BUILD_UNRESOLVED', [written ?? toSitePath(siteDir, path), hint], location)
}

/** Returns the file that a path means in any case. Null without one, and if the path is right. */
async function findInAnyCase(path: string): Promise<string | null> {
  const absolute = resolve(path)
  let found = parse(absolute).root
  for (const name of absolute.slice(found.length).split(sep)) {
    const names = await readdir(found).catch((): string[] => [])
    const same = names.includes(name) ? name : names.find((other) => isSame(other, name))
    const next = same ?? names.find((other) => isSame(withoutExtension(other), withoutExtension(name)))
    if (next === undefined) return null
    found = join(found, next)
  }
  return found === absolute ? null : found
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** Imports may leave out the extension of a script, and may have `.js` for a file with TypeScript. */
function withoutExtension(name: string): string {
  return name.replace(/\.(?:[cm]?[jt]sx?|json)$/, '')
}

/** Explains each import that the browser guard refused, with the chain: `pages/a.tsx → b.tsx → db.server.ts`. */
async function explainRefusals(
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
