import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'
import * as own from '../../../src/shared/react.ts'
import { BASE_MODULE } from './base-module.ts'
import { ownFile } from './hydrant-modules.ts'

const NAMESPACE = 'hydrant-react'
const resolving = Symbol('resolving')

/**
 * Gives the server's bundle an `href` of its own, which knows where the site is mounted. The rest of `hydrant/react`
 * stays outside of the bundle: the runtime renders with the same module.
 */
export function createBoundReact(siteDir: string): Plugin {
  const others = Object.keys(own).filter((name) => name !== 'href')
  const contents = `export { ${others.join(', ')} } from 'hydrant/react'\nexport { href } from './href.js'\n`
  return {
    name: 'hydrant-bound-react',
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
      // Under a name of its own: the path to this package would be written into the bundle.
      build.onLoad({ filter: /^\.\/href\.js$/, namespace: NAMESPACE }, async () => ({
        contents: await readFile(ownFile('shared/href.js')),
        loader: 'js',
      }))
    },
  }
}
