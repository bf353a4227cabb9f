import { basename, dirname, resolve } from 'node:path'
import { runInThisContext } from 'node:vm'
import {
  type BuildFailure,
  build,
  type Message,
  type OnResolveArgs,
  type PartialMessage,
  type Plugin,
  type PluginBuild,
} from 'esbuild'
import { toSitePath } from '../../../src/server/util/paths.ts'
import { createProblem } from '../../build-problem.ts'
import type { StylesheetOptions } from '../../styles.ts'
import { contentHash } from './assets.ts'
import { outputText } from './bundler.ts'
import { resolveFile } from './resolve-file.ts'
import { CSS_NAMESPACES, createStylesheetReader, type StylesheetReader } from './stylesheet-reader.ts'
import type { BundleTarget } from './virtual-modules.ts'

const { classes: CLASSES, rules: RULES } = CSS_NAMESPACES
const resolving = Symbol('resolving')

/** Compiles the stylesheets of a site for both bundles. */
export interface CssCompiler {
  compileModule: CompileCssModule
  reader: StylesheetReader
  /** The names of the classes of each CSS module that a script imports, by its path in the site. */
  classNames: Map<string, readonly string[]>
}

export function createCssCompiler(siteDir: string, stylesheets: readonly StylesheetOptions[]): CssCompiler {
  const reader = createStylesheetReader(stylesheets)
  return { reader, compileModule: createCssModuleCompiler(siteDir, reader), classNames: new Map() }
}

/** Creates the plugin that bundles stylesheets for the browser only. Both sides get the same names for classes. */
export function createCss(siteDir: string, target: BundleTarget, compiler: CssCompiler): Plugin {
  const { compileModule, reader, classNames } = compiler
  const isModule = new RegExp(`\\.module\\.(?:${reader.extensions.join('|')})$`)
  return {
    name: 'hydrant-css',
    setup(build) {
      build.onResolve({ filter: new RegExp(`\\.(?:${reader.extensions.join('|')})$`) }, async (args) => {
        if (args.pluginData === resolving || args.kind === 'entry-point' || args.kind === 'url-token') return null
        if (args.path.startsWith(`${RULES}:`)) return null
        const found = await find(build, args, args.resolveDir)
        if (found.errors.length > 0) return { errors: found.errors }
        const isOfSite = !found.external && found.namespace === 'file'
        // A stylesheet always has an effect, even when the nearest package.json has "sideEffects": false.
        if (!isOfSite || !(isModule.test(found.path) || reader.compiles(found.path))) {
          const { path, namespace, external } = found
          return { path, namespace, external, sideEffects: true }
        }
        const path = toSitePath(siteDir, found.path)
        const isScript = args.kind === 'import-statement' || args.kind === 'dynamic-import'
        return isModule.test(path) && isScript
          ? { path, namespace: CLASSES }
          : { path, namespace: RULES, sideEffects: true }
      })
      build.onResolve({ filter: new RegExp(`^${RULES}:`) }, ({ path }) => ({
        path: path.slice(RULES.length + 1),
        namespace: RULES,
      }))

      const load = async (sitePath: string) => {
        const path = resolve(siteDir, sitePath)
        const module = await compileModule(path, async (specifier, importer) => {
          const found = await find(
            build,
            { path: specifier, importer, namespace: 'file', kind: 'import-rule' },
            dirname(importer),
          )
          return found.errors.length > 0 ? { errors: found.errors } : { path: found.path }
        })
        return { path, ...module }
      }
      const loadRules = async (sitePath: string): Promise<{ path: string } & Partial<CssModule>> => {
        const path = resolve(siteDir, sitePath)
        return isModule.test(path) ? await load(sitePath) : { path, ...(await reader.read(path)) }
      }
      build.onLoad({ filter: /./, namespace: CLASSES }, async ({ path: sitePath }) => {
        const { path, classes, errors, warnings } = await load(sitePath)
        classNames.set(sitePath, Object.keys(classes))
        const contents = writeClasses(classes, target === 'browser' ? sitePath : null)
        return { contents, loader: 'js', resolveDir: dirname(path), errors, warnings }
      })
      build.onLoad({ filter: /./, namespace: RULES }, async ({ path: sitePath }) => {
        if (target === 'server') return { contents: '', loader: 'empty' }
        const { path, css = '', errors = [], warnings = [] } = await loadRules(sitePath)
        return { contents: css, loader: 'css', resolveDir: dirname(path), errors, warnings }
      })
      // esbuild reads the rules of a CSS module again, and repeats its warnings at places of the compiled rules.
      build.onEnd((result) => {
        const isRepeated = ({ location }: Message) =>
          location?.file.startsWith(`${RULES}:`) === true && isModule.test(location.file)
        result.warnings = result.warnings.filter((warning) => !isRepeated(warning))
      })
    },
  }
}

type From = Pick<OnResolveArgs, 'path' | 'importer' | 'namespace' | 'kind'>

function find(build: PluginBuild, { path, importer, namespace, kind }: From, resolveDir: string) {
  return resolveFile(build, path, { importer, namespace, kind, resolveDir, pluginData: resolving })
}

function writeClasses(classes: Record<string, string>, sitePath: string | null): string {
  const rules = sitePath === null ? '' : `import ${JSON.stringify(`${RULES}:${sitePath}`)}\n`
  const names = Object.keys(classes).map((local, index) => `class${index} as ${JSON.stringify(local)}`)
  const values = Object.values(classes).map((value, index) => `const class${index} = ${JSON.stringify(value)}\n`)
  const members = Object.keys(classes).map((local, index) => `${JSON.stringify(local)}: class${index}`)
  const named = names.filter((name) => !name.endsWith('"default"'))
  return `${rules}${values.join('')}export default { ${members.join(', ')} }\nexport { ${named.join(', ')} }\n`
}

/** A stylesheet with local class names, compiled without the modules that it composes from. */
interface CssModule {
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
type CompileCssModule = (path: string, resolveComposed: ResolveComposed) => Promise<CssModule>

interface Compiled {
  source: string
  composed: Map<string, CssModule>
  module: CssModule
}

/**
 * Creates a compiler of CSS modules. Class names depend only on the path in the site and the name in the source. In a
 * bundle, esbuild numbers colliding names and shortens names, so that browser and server would get different ones.
 */
function createCssModuleCompiler(siteDir: string, reader: StylesheetReader): CompileCssModule {
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
