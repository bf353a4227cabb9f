import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Plugin } from 'esbuild'
import { BASE_MODULE } from './base-module.ts'
import { REACT_EXPORTS } from './hydrant-exports.ts'
import { HYDRANT_FILES, hydrantPath } from './hydrant-files.ts'

const NAMESPACE = 'hydrant-react'
const resolving = Symbol('resolving')

/**
 * Bundles `href` of `hydrant/react` into the server's bundle, so that it uses the base of that bundle. The other
 * exports stay external, because the runtime renders with the same module.
 */
export function createHrefBinding(siteDir: string): Plugin {
  const others = REACT_EXPORTS.filter((name) => name !== 'href')
  const contents = `export { ${others.join(', ')} } from 'hydrant/react'\nexport { href } from './href.js'\n`
  return {
    name: 'hydrant-href',
    setup(build) {
      build.onResolve({ filter: /^hydrant\/react$/ }, ({ path, namespace, kind, pluginData }) => {
        if (pluginData === resolving) return null
        if (namespace !== NAMESPACE) return { path: 'react', namespace: NAMESPACE, sideEffects: false }
        return build.resolve(path, { kind, resolveDir: siteDir, pluginData: resolving })
      })
      build.onResolve({ filter: /^\.\//, namespace: NAMESPACE }, ({ path }) =>
        path === './base.js' ? { path: BASE_MODULE, namespace: BASE_MODULE } : { path, namespace: NAMESPACE },
      )
      build.onLoad({ filter: /^react$/, namespace: NAMESPACE }, () => ({ contents, loader: 'js' }))
      // In a namespace: esbuild writes the path of a file into the bundle, and this package's path differs by machine.
      build.onLoad({ filter: /^\.\//, namespace: NAMESPACE }, async ({ path }) => ({
        contents: await readFile(join(dirname(hydrantPath(HYDRANT_FILES.href)), path)),
        loader: 'js',
      }))
    },
  }
}
