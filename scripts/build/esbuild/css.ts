import { dirname, resolve } from 'node:path'
import type { OnResolveArgs, Plugin, PluginBuild } from 'esbuild'
import { toSitePath } from '../../../src/server/util/to-site-path.ts'
import type { CompileCssModule } from './css-module.ts'
import { resolveFile } from './resolve-file.ts'

const RULES = 'hydrant-css'
const CLASSES = 'hydrant-css-module'
const resolving = Symbol('resolving')

/**
 * Creates the plugin that bundles stylesheets for the browser and leaves them out of the server's bundle. Both get the
 * same names for the classes of `*.module.css`.
 */
export function createCss(siteDir: string, side: 'browser' | 'server', compile: CompileCssModule): Plugin {
  return {
    name: 'hydrant-css',
    setup(build) {
      build.onResolve({ filter: /\.css$/ }, async (args) => {
        if (args.pluginData === resolving || args.kind === 'entry-point' || args.kind === 'url-token') return null
        if (args.path.startsWith(`${RULES}:`)) return null
        const found = await find(build, args, args.resolveDir)
        if (found.errors.length > 0) return { errors: found.errors }
        // A stylesheet always has an effect, even when the nearest package.json has "sideEffects": false.
        if (found.external || found.namespace !== 'file' || !found.path.endsWith('.module.css')) {
          const { path, namespace, external } = found
          return { path, namespace, external, sideEffects: true }
        }
        const namespace = args.kind === 'import-statement' || args.kind === 'dynamic-import' ? CLASSES : RULES
        return { path: toSitePath(siteDir, found.path), namespace }
      })
      build.onResolve({ filter: new RegExp(`^${RULES}:`) }, ({ path }) => ({
        path: path.slice(RULES.length + 1),
        namespace: RULES,
      }))

      const load = async (sitePath: string) => {
        const path = resolve(siteDir, sitePath)
        const module = await compile(path, async (specifier, importer) => {
          const found = await find(
            build,
            { path: specifier, importer, namespace: 'file', kind: 'import-rule' },
            dirname(importer),
          )
          return found.errors.length > 0 ? { errors: found.errors } : { path: found.path }
        })
        return { path, ...module }
      }
      build.onLoad({ filter: /./, namespace: CLASSES }, async ({ path: sitePath }) => {
        const { path, classes, errors, warnings } = await load(sitePath)
        const contents = writeClasses(classes, side === 'browser' ? sitePath : null)
        return { contents, loader: 'js', resolveDir: dirname(path), errors, warnings }
      })
      build.onLoad({ filter: /./, namespace: RULES }, async ({ path: sitePath }) => {
        const { path, css, errors, warnings } = await load(sitePath)
        return { contents: css, loader: 'css', resolveDir: dirname(path), errors, warnings }
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
