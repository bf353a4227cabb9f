import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { checkExports, createExportReader, type FileExports } from '../build/bundles/check-exports.ts'
import { findDoubtfulExports } from '../build/bundles/doubtful-exports.ts'
import { createConfigPart, type SiteConfig } from '../build/bundles/read-config.ts'
import { type DiscoveredSite, discoverSite } from '../build/discover/discover-site.ts'
import { readSite } from '../build/discover/read-site.ts'
import { writeRouteTypes } from '../build/discover/route-types.ts'
import { createPublicFiles } from '../build/output/public-files.ts'
import { BuildError, type BuildProblem, tidyProblems } from '../build-problem.ts'

/** The parts of a site that its file names, its configuration and the exports of its files define. */
export interface SiteStructure {
  site: DiscoveredSite
  config: SiteConfig
  exports: FileExports
  /** Warnings about names. */
  warnings: readonly BuildProblem[]
}

export interface StructureReader {
  /** Reads the structure and writes the route types and the files of `public/`. Throws BuildError. */
  read(): Promise<SiteStructure>
  /** Reads the exports of the changed files again, and copies those of `public/`. Throws BuildError. */
  readChanged(structure: SiteStructure, paths: readonly string[]): Promise<SiteStructure>
  dispose(): Promise<void>
}

/** @param folder The absolute path of the folder that the dev server writes to. */
export function createStructureReader(siteDir: string, folder: string): StructureReader {
  const configuration = createConfigPart({ siteDir, folder: '.hydrant-dev', mode: 'development' })
  const readAll = createExportReader(siteDir)
  const publicFiles = createPublicFiles(siteDir)

  async function place(name: string): Promise<string> {
    const file = join(folder, name)
    await mkdir(dirname(file), { recursive: true })
    return file
  }
  const output = {
    path: folder,
    write: async (name: string, contents: string | Uint8Array) => writeFile(await place(name), contents),
    copy: async (source: string, name: string) => copyFile(source, await place(name)),
    // The folder is the one of the build before.
    keep: async () => {},
  }

  return {
    async read() {
      const { files, problems: ofFiles } = await readSite(siteDir)
      const { site, problems, warnings } = discoverSite(files)
      const config = await configuration.compile(site.config, output)
      const exports = await readAll(site, config.options.loader)
      problems.push(...ofFiles, ...config.problems, ...(await checkExports(siteDir, site, exports)))
      if (problems.length > 0) throw new BuildError(tidyProblems(problems))
      await publicFiles.write(site.publicFiles, output)
      await writeRouteTypes(siteDir, site)
      return { site, config, exports, warnings: [...warnings, ...(await findDoubtfulExports(siteDir, site, exports))] }
    },
    async readChanged(structure, paths) {
      const { site, config, exports } = structure
      const isChanged = ({ file }: { file: string }) => paths.includes(file)
      const changed = {
        ...site,
        components: site.components.filter(isChanged),
        serverFiles: site.serverFiles.filter(isChanged),
        serverPlugin: site.serverPlugin !== null && paths.includes(site.serverPlugin) ? site.serverPlugin : null,
        config: null,
      }
      if (paths.some((path) => path.startsWith('public/'))) await publicFiles.write(site.publicFiles, output)
      if (!changed.components.length && !changed.serverFiles.length && changed.serverPlugin === null) return structure
      const found = await readAll(changed, config.options.loader)
      const problems = await checkExports(siteDir, changed, found)
      if (problems.length > 0) throw new BuildError(tidyProblems(problems))
      if ([...found].every(([file, names]) => exports.get(file)?.join() === names.join())) return structure
      const all = new Map([...exports, ...found])
      const doubts = await findDoubtfulExports(siteDir, site, all)
      const others = structure.warnings.filter(({ code }) => code !== 'HYD_BUILD_PAGE_EXPORT')
      return { ...structure, exports: all, warnings: [...others, ...doubts] }
    },
    dispose: () => configuration.dispose(),
  }
}
