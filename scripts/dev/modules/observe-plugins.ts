import { dirname, resolve, sep } from 'node:path'
import type { Plugin } from 'esbuild'

/**
 * The site's esbuild plugins. They are observed, because the dev server has to know which files they load and read.
 */
export interface ObservedPlugins {
  plugins: Plugin[]
  /** Whether a plugin may load a file in place of esbuild. Known after the first build. */
  mayLoad(path: string): boolean
  /** Notes the files that a module was loaded with. Paths are absolute. */
  watch(path: string, files: readonly string[]): void
  /** Returns the files that a plugin has loaded with the help of a file or folder. Paths are absolute. */
  dependentsOf(path: string): string[]
}

interface Watched {
  files: readonly string[]
  dirs: readonly string[]
}

/** Records the filters and the results of `onLoad`. `siteDir` is absolute. */
export function observePlugins(given: readonly Plugin[], siteDir: string): ObservedPlugins {
  const filters = new Map<string, RegExp>()
  const watched = new Map<string, Watched>()

  const plugins = given.map(
    ({ name, setup }): Plugin => ({
      name,
      setup: (build) =>
        setup({
          ...build,
          onLoad(options, callback) {
            const { filter, namespace = 'file' } = options
            if (namespace === 'file') filters.set(String(filter), filter)
            build.onLoad(options, async (args) => {
              const result = await callback(args)
              const { watchFiles = [], watchDirs = [] } = result ?? {}
              watched.set(args.path, {
                files: watchFiles.map((file) => resolve(file)),
                dirs: watchDirs.map((dir) => resolve(dir)),
              })
              return result
            })
          },
        }),
    }),
  )

  return {
    plugins,
    mayLoad: (path) => [...filters.values()].some((filter) => new RegExp(filter.source, filter.flags).test(path)),
    watch(path, files) {
      watched.set(path, { files, dirs: [] })
    },
    dependentsOf(path) {
      // Tailwind names the site's folder for the files in it, and each folder below it that it reads.
      const isIn = (dir: string) => (dir === siteDir ? dirname(path) === dir : path.startsWith(dir + sep))
      const isReadBy = ({ files, dirs }: Watched) => files.includes(path) || dirs.some(isIn)
      return [...watched].flatMap(([loaded, one]) => (loaded !== path && isReadBy(one) ? [loaded] : []))
    },
  }
}
