import { copyFile, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import { REMOVE } from '../../../src/server/util/paths.ts'
import { checkExports, createExportReader, type FileExports } from '../../build/bundles/check-exports.ts'
import { EXPORT_WARNINGS, findDoubtfulExports } from '../../build/bundles/doubtful-exports.ts'
import { compileConfig, type SiteConfig } from '../../build/bundles/read-config.ts'
import type { SiteExports } from '../../build/bundles/read-exports.ts'
import { type DiscoveredSite, discoverSite } from '../../build/discover/discover-site.ts'
import { readSite } from '../../build/discover/read-site.ts'
import { writeRouteTypes } from '../../build/discover/route-types.ts'
import { findIgnoredSettings } from '../../build/esbuild/ignored-settings.ts'
import { BuildError, type BuildProblem, tidyProblems } from '../../build-problem.ts'
import { FILES_AT_A_TIME, mapWithLimit } from '../../map-with-limit.ts'

/** The parts of a site that its file names, its configuration and the exports of its files define. */
export interface SiteStructure {
  site: DiscoveredSite
  config: SiteConfig
  exports: FileExports
  values: SiteExports['values']
  /** Warnings about names. */
  warnings: readonly BuildProblem[]
  /** Problems of names. The site leaves these files out. */
  nameProblems: readonly BuildProblem[]
  /** Problems of exports. */
  exportProblems: readonly BuildProblem[]
}

/**
 * @param folder The absolute path of the folder that the dev server writes to.
 * @param variables Returns a text that changes with the variables of the environment.
 */
export function createStructureReader(siteDir: string, folder: string, variables: () => string) {
  const readAll = createExportReader(siteDir)
  const copied = new Map<string, string>()
  /** The exports of each file when it could be parsed last. */
  let last: FileExports = new Map()

  async function place(name: string): Promise<string> {
    const file = join(folder, name)
    await mkdir(dirname(file), { recursive: true })
    return file
  }
  const output = {
    path: folder,
    write: async (name: string, contents: string | Uint8Array) => writeFile(await place(name), contents),
  }

  /** Copies the files of `public/` that have changed since they were copied, and removes the copies of others. */
  async function copyPublicFiles({ publicFiles }: DiscoveredSite) {
    const current = new Set(publicFiles)
    for (const path of copied.keys()) {
      if (current.has(path)) continue
      await rm(join(folder, BUILD_PATHS.public, path), REMOVE)
      copied.delete(path)
    }
    await mapWithLimit(publicFiles, FILES_AT_A_TIME, async (path) => {
      const source = join(siteDir, 'public', path)
      const { size, mtimeMs } = await stat(source)
      const stamp = `${size} ${mtimeMs}`
      if (copied.get(path) === stamp) return
      await copyFile(source, await place(`${BUILD_PATHS.public}/${path}`))
      copied.set(path, stamp)
    })
  }

  /** Reads the exports of all files. A file that cannot be parsed keeps those that it had. */
  async function readExports(site: DiscoveredSite, { options }: SiteConfig) {
    const found = await readAll(site, options.loader)
    const files = new Set([...site.components, ...site.serverFiles].map(({ file }) => file))
    last = new Map([...[...last].filter(([file]) => files.has(file)), ...found.names])
    const [exportProblems, doubts] = await Promise.all([
      checkExports(siteDir, site, found),
      findDoubtfulExports(siteDir, site, found),
    ])
    return { exports: last, values: found.values, exportProblems, doubts }
  }

  return {
    /** Reads the structure, writes route types and `public/`. Throws BuildError without pages or configuration. */
    async read() {
      const { files, problems: ofFiles } = await readSite(siteDir)
      const { site, problems, warnings } = discoverSite(files)
      await writeRouteTypes(siteDir, site)
      const source = { siteDir, folder: basename(folder), file: site.config, variables: variables() }
      const config = await compileConfig(source, output)
      // Its page may be written later.
      const isEarly = ({ code }: BuildProblem) => code === 'HYD_BUILD_SERVER_ORPHAN'
      const nameProblems = [...problems, ...ofFiles].filter((problem) => !isEarly(problem))
      warnings.push(...problems.filter(isEarly))
      const { doubts, ...found } = await readExports(site, config)
      const all = [...nameProblems, ...config.problems, ...found.exportProblems]
      if (!config.isUsable || files.pages === null) throw new BuildError(tidyProblems(all))
      await copyPublicFiles(site)
      doubts.push(...findIgnoredSettings(siteDir, config.options))
      return { site, config, ...found, nameProblems, warnings: [...warnings, ...doubts] }
    },
    /** Reads the exports of the changed files again, and copies those of `public/`. */
    async readChanged(structure: SiteStructure, paths: readonly string[]) {
      const { site, config, exports } = structure
      const isChanged = ({ file }: { file: string }) => paths.includes(file)
      const changed = {
        ...site,
        components: site.components.filter(isChanged),
        serverFiles: site.serverFiles.filter(isChanged),
        serverPlugin: site.serverPlugin !== null && paths.includes(site.serverPlugin) ? site.serverPlugin : null,
        config: null,
      }
      if (paths.some((path) => path.startsWith('public/'))) await copyPublicFiles(site)
      if (!changed.components.length && !changed.serverFiles.length && changed.serverPlugin === null) return structure
      const found = await readAll(changed, config.options.loader)
      const problems = await checkExports(siteDir, changed, found)
      if (problems.length > 0 || structure.exportProblems.length > 0) {
        const { doubts, ...all } = await readExports(site, config)
        return { ...structure, ...all, warnings: [...withoutExports(structure.warnings), ...doubts] }
      }
      const hasSameNames = [...found.names].every(([file, names]) => exports.get(file)?.join() === names.join())
      const isSame = ([file, values]: [string, unknown]) => isDeepStrictEqual(structure.values.get(file), values)
      if (hasSameNames && [...found.values].every(isSame)) return structure
      const all = {
        names: hasSameNames ? exports : new Map([...exports, ...found.names]),
        values: new Map([...structure.values, ...found.values]),
      }
      last = all.names
      const doubts = await findDoubtfulExports(siteDir, site, all)
      const warnings = [...withoutExports(structure.warnings), ...doubts]
      return { ...structure, exports: all.names, values: all.values, warnings }
    },
  }
}

function withoutExports(warnings: readonly BuildProblem[]): BuildProblem[] {
  return warnings.filter(({ code }) => !EXPORT_WARNINGS.includes(code))
}
