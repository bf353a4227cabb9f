import { dirname, resolve } from 'node:path'
import type { Message, OnResolveArgs, Plugin, PluginBuild } from 'esbuild'
import { toSitePath } from '../../../src/server/util/paths.ts'
import type { StylesheetOptions } from '../../styles.ts'
import { type CompileCssModule, type CssModule, createCssModuleCompiler } from './css-module.ts'
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
