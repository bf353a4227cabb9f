import { basename } from 'node:path'
import { runInThisContext } from 'node:vm'
import { type BuildFailure, build, type Message, type PartialMessage, type Plugin } from 'esbuild'
import { toSitePath } from '../../../src/server/util/paths.ts'
import { createProblem } from '../../build-problem.ts'
import { contentHash } from './assets.ts'
import { outputText } from './bundler.ts'
import { CSS_NAMESPACES, type StylesheetReader } from './stylesheet-reader.ts'

/** A stylesheet with local class names, compiled without the modules that it composes from. */
export interface CssModule {
  /** The names in the page of each class of the source; several names for a class that composes others. */
  classes: Record<string, string>
  /** The stylesheet with those names. It composes from imports of `hydrant-css:<path in the site>`. */
  css: string
  errors: PartialMessage[]
  warnings: PartialMessage[]
}

/** Finds the file that a module composes from, or returns the errors of the search. */
export type ResolveComposed = (path: string, importer: string) => Promise<{ path: string } | { errors: Message[] }>

/** Compiles a module, or returns the last result while no file that it depends on has changed. Paths are absolute. */
export type CompileCssModule = (path: string, resolveComposed: ResolveComposed) => Promise<CssModule>

interface Compiled {
  source: string
  composed: Map<string, CssModule>
  module: CssModule
}

/**
 * Creates a compiler of CSS modules. Class names depend only on the path in the site and the name in the source. In a
 * bundle, esbuild numbers colliding names and shortens names, so that browser and server would get different ones.
 */
export function createCssModuleCompiler(siteDir: string, reader: StylesheetReader): CompileCssModule {
  const cache = new Map<string, Compiled>()

  async function compile(
    path: string,
    resolveComposed: ResolveComposed,
    parents: readonly string[],
  ): Promise<CssModule> {
    const read = await reader.read(path)
    if ('errors' in read) return { classes: {}, css: '', errors: read.errors, warnings: [] }
    const { css: source } = read
    const last = cache.get(path)
    if (last?.source === source) {
      const composed = await Promise.all(
        [...last.composed].map(
          async ([file, module]) => (await compile(file, resolveComposed, [...parents, path])) === module,
        ),
      )
      if (composed.every(Boolean)) return last.module
    }
    const composed = new Map<string, CssModule>()
    const module = await compileAlone({ siteDir, path, source }, async (specifier) => {
      const found = await resolveComposed(specifier, path)
      if ('errors' in found) return found
      if ([...parents, path].includes(found.path)) return { errors: [createCircleMessage(siteDir, found.path)] }
      const dependency = await compile(found.path, resolveComposed, [...parents, path])
      if (dependency.errors.length > 0) return { errors: dependency.errors }
      composed.set(found.path, dependency)
      return { path: found.path, module: dependency }
    })
    // Do not keep a failed module: the fix may be in another file.
    if (module.errors.length === 0) cache.set(path, { source, composed, module })
    else cache.delete(path)
    return module
  }

  // Both bundles ask for a module at the same time.
  const running = new Map<string, Promise<CssModule>>()
  return async (path, resolveComposed) => {
    const module = running.get(path) ?? compile(path, resolveComposed, [])
    running.set(path, module)
    try {
      return await module
    } finally {
      running.delete(path)
    }
  }
}

interface Source {
  siteDir: string
  path: string
  source: string
}

type Compose = (
  specifier: string,
) => Promise<{ path: string; module: CssModule } | { errors: (Message | PartialMessage)[] }>

async function compileAlone({ siteDir, path, source }: Source, compose: Compose): Promise<CssModule> {
  const composed = new Map<string, { path: string; module: CssModule }>()
  const name = localName(siteDir, path)
  const plugin: Plugin = {
    name: 'hydrant-css-module',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, async ({ kind, path: specifier }) => {
        if (kind === 'entry-point') return { path: specifier, namespace: 'entry' }
        if (kind === 'import-statement') return { path: name, namespace: 'css' }
        if (kind !== 'composes-from') return { path: specifier, external: true }
        const found = await compose(specifier)
        if ('errors' in found) return { errors: found.errors }
        const composedName = localName(siteDir, found.path)
        composed.set(composedName, found)
        return { path: composedName, namespace: 'css' }
      })
      onLoad({ filter: /./, namespace: 'entry' }, () => ({ contents: `export { default } from 'css'` }))
      onLoad({ filter: /./, namespace: 'css' }, ({ path }) => {
        const other = composed.get(path)
        return { contents: other ? createStub(other.module) : source, loader: 'local-css' }
      })
    },
  }
  const outcome = await buildAlone(plugin)
  const locate = (message: Message): Message =>
    message.location?.file.startsWith('css:')
      ? { ...message, location: { ...message.location, file: toSitePath(siteDir, path), namespace: 'file' } }
      : message
  const warnings = outcome.warnings.map(locate)
  if (outcome.outputFiles === null) return { classes: {}, css: '', errors: outcome.errors.map(locate), warnings }
  const imports = [...composed.values()].map(
    (other) => `@import "${CSS_NAMESPACES.rules}:${toSitePath(siteDir, other.path)}";\n`,
  )
  const full = new Map(
    [...composed].flatMap(([name, { module }]) =>
      Object.entries(module.classes).map(([local, value]): [string, string] => [className(name, local), value]),
    ),
  )
  return {
    classes: expand(readClasses(outputText(outcome.outputFiles, '.js')), full),
    css: imports.join('') + outputText(outcome.outputFiles, '.css'),
    errors: [],
    warnings,
  }
}

async function buildAlone(plugin: Plugin) {
  try {
    return await build({
      entryPoints: [{ in: 'entry', out: 'module' }],
      bundle: true,
      write: false,
      outdir: '/',
      format: 'iife',
      globalName: 'module',
      // Removes the rules of the stubs, which are empty.
      minifySyntax: true,
      logLevel: 'silent',
      plugins: [plugin],
    })
  } catch (error) {
    // esbuild rejects with a list of messages only: the options are constant, so they are valid.
    const { errors, warnings } = error as BuildFailure
    return { errors, warnings, outputFiles: null }
  }
}

/** Returns the file name from which esbuild derives the prefix of the class names. */
function localName(siteDir: string, path: string): string {
  const stem = basename(path)
    .replace(/\.module\.\w+$/, '')
    .replace(/[^\w]+/g, '_')
  return `${stem}_${contentHash(toSitePath(siteDir, path)).slice(0, 6)}.css`
}

function className(name: string, local: string): string {
  return `${name.slice(0, -'.css'.length)}_${local}`
}

/** Returns a stylesheet with the class names of a module and no rules, for another module to compose from. */
function createStub({ classes }: CssModule): string {
  // Names that would need escapes cannot be composed.
  const names = Object.keys(classes).filter((name) => /^-?[A-Za-z_][\w-]*$/.test(name))
  return names.map((name) => `.${name}{}`).join('\n')
}

function expand(classes: Record<string, string>, full: ReadonlyMap<string, string>): Record<string, string> {
  const expandOne = (value: string) =>
    value
      .split(' ')
      .map((name) => full.get(name) ?? name)
      .join(' ')
  return Object.fromEntries(Object.entries(classes).map(([local, value]) => [local, expandOne(value)]))
}

function readClasses(script: string): Record<string, string> {
  // esbuild wrote the script: an object literal, assigned to the option `globalName`.
  const value: Record<string, string> = runInThisContext(`(() => { ${script}\nreturn module.default })()`)
  return { ...value }
}

function createCircleMessage(siteDir: string, path: string): PartialMessage {
  const { message: text } = createProblem('HYD_BUILD_COMPOSES', [toSitePath(siteDir, path)])
  return { text, detail: { code: 'HYD_BUILD_COMPOSES', values: [toSitePath(siteDir, path)] } }
}
