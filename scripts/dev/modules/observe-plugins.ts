import { dirname, resolve } from 'node:path'
import type { Platform, Plugin } from 'esbuild'
import { isInside } from '../../../src/server/util/paths.ts'

/** The site's esbuild plugins, observed: the dev server has to know the files and the imports that they take. */
export type ObservedPlugins = ReturnType<typeof observePlugins>

/** Imports that a bundle leaves as they are. Importers are paths relative to the site. */
export interface ExternalImports {
  /** Returns the path that a specifier leads to; undefined if no plugin leaves it out. */
  find(importer: string, specifier: string): string | undefined
  /** Returns whether an import of the importer leads to a path that a plugin leaves out. */
  has(importer: string, path: string): boolean
}

interface Watched {
  files: readonly string[]
  dirs: readonly string[]
}

/** Records the filters and the results of `onLoad`. `siteDir` is absolute. */
export function observePlugins(given: readonly Plugin[], siteDir: string) {
  const filters = new Map<string, RegExp>()
  const watched = new Map<string, Watched>()
  /** The paths of the imports that are left out, by platform and importer, and then by specifier. */
  const left = new Map<string, Map<string, string>>()
  const importerKey = (platform: Platform = 'browser', importer: string) => `${platform} ${importer}`

  const plugins = given.map(
    ({ name, setup }): Plugin => ({
      name,
      setup: (build) =>
        setup({
          ...build,
          onResolve(options, callback) {
            build.onResolve(options, async (args) => {
              const result = await callback(args)
              const key = importerKey(build.initialOptions.platform, args.importer)
              if (result?.external) {
                const paths = left.get(key) ?? new Map<string, string>()
                left.set(key, paths.set(args.path, result.path ?? args.path))
              } else left.get(key)?.delete(args.path)
              return result
            })
          },
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
    /** Whether a plugin may load a file in place of esbuild. Known after the first build. */
    mayLoad: (path: string) =>
      [...filters.values()].some((filter) => new RegExp(filter.source, filter.flags).test(path)),
    /** Notes the files that a module was loaded with. Paths are absolute. */
    watch(path: string, files: readonly string[]) {
      watched.set(path, { files, dirs: [] })
    },
    /**
     * Returns the files that a plugin has loaded with the help of a file or, with `viaFolders`, of a folder around it. Paths
     * are absolute.
     */
    dependentsOf(path: string, viaFolders = true): string[] {
      // Tailwind names the site's folder for the files in it, and each folder below it that it reads.
      const isIn = (dir: string) => (dir === siteDir ? dirname(path) === dir : isInside(dir, path))
      const isReadBy = ({ files, dirs }: Watched) => files.includes(path) || (viaFolders && dirs.some(isIn))
      return [...watched].flatMap(([loaded, one]) => (loaded !== path && isReadBy(one) ? [loaded] : []))
    },
    /** Returns the imports that plugins leave out of the bundles for a platform. Known after the first build. */
    externals: (platform: Platform): ExternalImports => ({
      find: (importer, specifier) => left.get(importerKey(platform, resolve(siteDir, importer)))?.get(specifier),
      has: (importer, path) =>
        [...(left.get(importerKey(platform, resolve(siteDir, importer)))?.values() ?? [])].includes(path),
    }),
  }
}
