import type { Plugin } from 'esbuild'

export const VIRTUAL = 'hydrant-entry'

/** The name of the browser's entry among the virtual modules. */
export const CLIENT_ENTRY = 'entry'

export interface VirtualModule {
  /** Appears in source maps and messages, so it must not depend on the location of the site. */
  name: string
  contents: string
}

/** Creates the plugin that provides entry modules from text. Their imports are resolved from the site's folder. */
export function createVirtualModules(siteDir: string, modules: readonly VirtualModule[]): Plugin {
  const contents = new Map(modules.map((module) => [module.name, module.contents]))
  return {
    name: 'hydrant-entries',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${VIRTUAL}:`) }, ({ path }) => ({
        path: path.slice(VIRTUAL.length + 1),
        namespace: VIRTUAL,
      }))
      build.onLoad({ filter: /./, namespace: VIRTUAL }, ({ path }) => ({
        contents: contents.get(path) ?? '',
        resolveDir: siteDir,
        loader: 'js',
      }))
    },
  }
}
