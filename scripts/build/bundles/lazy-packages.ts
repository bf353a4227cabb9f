import { builtinModules } from 'node:module'
import type { AnyNode, ImportDefaultSpecifier, ImportSpecifier, Program } from 'acorn'
import type { ImportKind, Metafile, Plugin } from 'esbuild'
import { toSitePath } from '../../../src/server/util/paths.ts'
import { exportMembers, VIRTUAL } from '../esbuild/virtual-modules.ts'
import { nodesIn, parseScript } from '../output/edit-script.ts'

/** The names that modules import from packages which the bundle must not import at its start, by their specifiers. */
export type LazyPackages = ReadonlyMap<string, LazyPackage>

interface LazyPackage {
  /** The imports that lead to it, as `importKey` writes them. */
  imports: ReadonlySet<string>
  /** The specifiers in the source. */
  specifiers: ReadonlySet<string>
  names: ReadonlySet<string>
}

const NAMESPACE = 'hydrant-lazy-package'
const BUILT_IN = new RegExp(`^(?:node:.*|hydrant(?:/.*)?|${builtinModules.join('|')})$`)
const STATIC: readonly ImportKind[] = ['import-statement', 'require-call']

/**
 * Finds the packages of a server's bundle that only modules behind an `import()` import. esbuild would import them at the
 * start of the bundle, also those that need a browser. A package whose namespace is used as a value is not found, because
 * its names are not known.
 *
 * @param code The bundle.
 * @param first The module that must be evaluated before the packages of other modules; null for none. esbuild would import
 *   all packages before the first module.
 */
export function findLazyPackages({ inputs }: Metafile, code: string, first: string | null): LazyPackages {
  // A module that is required cannot wait for a package.
  const required = Object.values(inputs).flatMap(({ imports }) => imports.filter(({ kind }) => kind === 'require-call'))
  const entries = first === null ? Object.keys(inputs).filter((file) => file.startsWith(`${VIRTUAL}:`)) : [first]
  const reached = new Set([...entries, ...required.map(({ path }) => path)])
  for (const file of reached)
    for (const { path, kind, external } of inputs[file]?.imports ?? [])
      if (!external && STATIC.includes(kind)) reached.add(path)

  const found = new Map<string, { imports: Set<string>; specifiers: Set<string> }>()
  for (const [file, { imports }] of Object.entries(inputs)) {
    for (const { path, kind, external, original = path } of imports) {
      if (reached.has(file) || !external || kind !== 'import-statement' || BUILT_IN.test(path)) continue
      const { imports, specifiers } = found.get(path) ?? { imports: new Set(), specifiers: new Set() }
      found.set(path, { imports: imports.add(importKey(file, original)), specifiers: specifiers.add(original) })
    }
  }
  for (const file of reached)
    for (const { path, kind } of inputs[file]?.imports ?? []) if (STATIC.includes(kind)) found.delete(path)
  if (found.size === 0) return new Map()
  const names = readNames(code, found)
  return new Map(
    [...found].flatMap(([path, one]) => {
      const ofPackage = names.get(path)
      return ofPackage ? [[path, { ...one, names: ofPackage }] as const] : []
    }),
  )
}

/** Creates the plugin that imports such packages when a module which needs them is evaluated for the first time. */
export function createLazyPackages(siteDir: string, packages: LazyPackages): Plugin {
  return {
    name: 'hydrant-lazy-packages',
    setup(build) {
      const entries = [...packages]
      const namesOf = (path: string) => [...(packages.get(path)?.names ?? [])]
      const specifiers = entries.flatMap(([path, one]) => [path, ...one.specifiers])
      const filter = new RegExp(
        `^(?:${specifiers.map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`,
      )
      build.onResolve({ filter }, ({ path, kind, importer, namespace }) => {
        if (namespace === NAMESPACE) return { path, external: true }
        if (kind !== 'import-statement') return null
        const key = importKey(namespace === 'file' ? toSitePath(siteDir, importer) : `${namespace}:${importer}`, path)
        const [target] = entries.find(([, { imports }]) => imports.has(key)) ?? []
        return target === undefined ? null : { path: target, namespace: NAMESPACE }
      })
      build.onLoad({ filter: /^/, namespace: NAMESPACE }, ({ path }) => ({
        contents: `const module = await import(${JSON.stringify(path)})\n${exportMembers('module', namesOf(path))}`,
        loader: 'js',
      }))
    },
  }
}

function importKey(importer: string, specifier: string): string {
  return `${importer} ${specifier}`
}

/** Reads the names that a bundle imports, by specifier. A package with a namespace that is used as a value has none. */
function readNames(code: string, packages: ReadonlyMap<string, unknown>): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>([...packages.keys()].map((path) => [path, new Set()]))
  const program = parseScript(code)
  const namespaces = new Map<string, string>()
  for (const node of program.body) {
    if (node.type !== 'ImportDeclaration' || !packages.has(String(node.source.value))) continue
    for (const specifier of node.specifiers) {
      if (specifier.type === 'ImportNamespaceSpecifier') namespaces.set(specifier.local.name, String(node.source.value))
      else names.get(String(node.source.value))?.add(importedName(specifier))
    }
  }
  for (const [name, path] of namespaces) {
    const members = membersOf(program, name)
    if (members === null) names.delete(path)
    else for (const member of members) names.get(path)?.add(member)
  }
  return names
}

function importedName(specifier: ImportSpecifier | ImportDefaultSpecifier): string {
  if (specifier.type === 'ImportDefaultSpecifier') return 'default'
  const { imported } = specifier
  return imported.type === 'Identifier' ? imported.name : String(imported.value)
}

/** Lists the members of a namespace that a bundle uses; null if it uses the namespace in another way. */
function membersOf(program: Program, namespace: string): ReadonlySet<string> | null {
  const members = new Set<string>()
  // The import itself is no use.
  let others = -1
  const isNamespace = (node: AnyNode) => node.type === 'Identifier' && node.name === namespace
  for (const node of nodesIn(program)) {
    if (isNamespace(node)) others++
    if (node.type !== 'MemberExpression' || node.computed || !isNamespace(node.object)) continue
    if (node.property.type === 'Identifier') members.add(node.property.name)
    others--
  }
  return others === 0 ? members : null
}
