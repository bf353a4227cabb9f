import { realpathSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { discoverSite } from '../build/discover/discover-site.ts'
import { readSite } from '../build/discover/read-site.ts'
import { writeRouteTypes } from '../build/discover/route-types.ts'
import { findPackageManager } from '../create/package-manager.ts'
import { readTemplate } from '../create/read-template.ts'
import { requireTemplate, SITE_FOLDERS } from '../create/templates.ts'
import { writeFiles } from '../create/write-files.ts'
import { quoteWord } from '../terminal/quote-word.ts'
import type { Terminal } from '../terminal/terminal.ts'

/**
 * Runs `hydrant create`: writes a template into a new or empty folder, with the types of its pages, and prints the next
 * commands.
 */
export async function runCreate(
  dir: string,
  { template: name }: { template: string },
  { stdout, env }: Terminal,
): Promise<void> {
  const template = requireTemplate(name)
  const folder = resolve(dir)
  const { install, dev, files } = findPackageManager(folder, env.npm_config_user_agent)
  writeFiles(dir, new Map([...readTemplate(template, dir), ...Object.entries(files)]))
  await writeTypes(join(folder, SITE_FOLDERS[template]))
  // One command for each line, because PowerShell 5 has no "&&".
  const next = [...(folder === process.cwd() ? [] : [`cd ${quoteWord(dir)}`]), install, dev]
  stdout.write(`Created ${basename(folder)} from the template "${template}". Next:\n\n  ${next.join('\n  ')}\n\n`)
}

/** Writes the types of the pages, so that editors know them before the first build. */
async function writeTypes(dir: string): Promise<void> {
  const siteDir = realpathSync(dir)
  const { files } = await readSite(siteDir)
  await writeRouteTypes(siteDir, discoverSite(files).site)
}
