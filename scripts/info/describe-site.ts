import { realpathSync } from 'node:fs'
import { buildFolder, readConfig, readManifest } from '../../src/server/build-output/read-build.ts'
import { messageOf } from '../../src/server/util/message-of.ts'
import { NO_SETTINGS } from '../build/bundles/esbuild-options.ts'
import { compileConfig, type SiteConfig } from '../build/bundles/read-config.ts'
import { type DiscoveredSite, discoverSite } from '../build/discover/discover-site.ts'
import { readSite } from '../build/discover/read-site.ts'
import { createOutputFolder } from '../build/output/output-folder.ts'
import { type BuildProblem, formatLocation } from '../build-problem.ts'

/** The folder to which the configuration is compiled. It is removed again. */
const FOLDER = '.hydrant-info'

const NO_CONFIG = { config: {}, options: NO_SETTINGS }

export interface SiteFacts {
  facts: Record<string, string>
  /** The options in the configuration, and those of esbuild; null when they cannot be read. */
  config: Pick<SiteConfig, 'config' | 'options'> | null
}

/** Describes a site from its files: its routes, its build and its configuration. Reports problems and does not throw. */
export async function describeSite(dir: string): Promise<SiteFacts> {
  const siteDir = realpathSync(dir)
  const { files } = await readSite(siteDir)
  const { site, problems } = discoverSite(files)
  const read = await readOptions(siteDir, site)
  const facts = {
    routes: String(site.routes.length),
    'server plugin': site.serverPlugin ?? 'none',
    configuration: read.text,
    build: describeBuild(siteDir),
    ...(problems.length > 0 ? { problems: problems.map(showProblem).join(', ') } : {}),
  }
  return { facts, config: read.config }
}

async function readOptions(
  siteDir: string,
  { config: file }: DiscoveredSite,
): Promise<{ text: string; config: SiteFacts['config'] }> {
  // A container often has no sources, or a file system that cannot be written. Then only the build can be read.
  const read = file === null ? null : await compile(siteDir, file).catch(() => null)
  if (read?.isUsable) return { text: String(file), config: read }
  if (read) return { text: `${file} cannot be used: ${read.problems.map(showProblem).join(', ')}`, config: null }
  const built = await readConfig(buildFolder(siteDir)).catch(() => null)
  if (built && (file !== null || Object.keys(built).length > 0))
    return { text: 'from the build', config: { ...NO_CONFIG, config: built } }
  return file === null ? { text: 'none', config: NO_CONFIG } : { text: `${file} cannot be compiled here`, config: null }
}

async function compile(siteDir: string, file: string): Promise<SiteConfig> {
  const output = await createOutputFolder(siteDir, FOLDER)
  try {
    return await compileConfig({ siteDir, folder: FOLDER, file }, output)
  } finally {
    await output.discard()
  }
}

function describeBuild(siteDir: string): string {
  try {
    const { buildId, mode, routes } = readManifest(buildFolder(siteDir))
    return `${buildId}, ${mode}, routes: ${routes.length}`
  } catch (error) {
    return messageOf(error)
  }
}

// The message of an error that the site throws may contain a secret.
function showProblem({ code, message, location }: BuildProblem): string {
  const text = /^HYD_(?:OPTION_|BUILD_PAGES_MISSING$)/.test(code) ? `${code} ${message}` : code
  return location ? `${text} (${formatLocation(location)})` : text
}
