import { fileURLToPath } from 'node:url'
import type { Plugin, ResolveResult } from 'esbuild'

const resolving = Symbol('resolving')

/** Where this package's browser scripts lie once it is built. */
const ownFile = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url))

/**
 * Sees to it that a page holds each once: Hydrant's own modules are those of the package that builds, React is the
 * site's, however the two are linked together.
 */
export function createOwnModules(siteDir: string): Plugin {
  return {
    name: 'hydrant-own-modules',
    setup(build) {
      // Entries are imported for their effect, which the package's "sideEffects": false would deny.
      build.onResolve({ filter: /^hydrant-client\// }, ({ path }) => ({
        path: ownFile(path.replace(/^hydrant-client/, 'client')),
        sideEffects: true,
      }))
      build.onResolve({ filter: /^hydrant\/react$/ }, () => ({ path: ownFile('shared/react.js'), sideEffects: false }))
      const found = new Map<string, Promise<ResolveResult>>()
      build.onStart(() => found.clear())
      build.onResolve({ filter: /^react(-dom)?(\/|$)/ }, async ({ path, kind, pluginData }) => {
        if (pluginData === resolving) return null
        const known = found.get(path) ?? build.resolve(path, { kind, resolveDir: siteDir, pluginData: resolving })
        found.set(path, known)
        const result = await known
        return result.errors.length === 0 ? result : null
      })
    },
  }
}
