import { basename, resolve } from 'node:path'
import { findPackageManager } from '../create/package-manager.ts'
import { readTemplate } from '../create/read-template.ts'
import { requireTemplate } from '../create/templates.ts'
import { writeFiles } from '../create/write-files.ts'
import { quoteWord } from '../terminal/quote-word.ts'

/** Runs `hydrant create`: writes a template into a new or empty folder, and prints the next commands. */
export function runCreate(dir: string, { template }: { template: string }): void {
  const { install, dev, files } = findPackageManager(process.env.npm_config_user_agent)
  writeFiles(dir, new Map([...readTemplate(requireTemplate(template), dir), ...Object.entries(files)]))
  const folder = resolve(dir)
  // One command for each line, because PowerShell 5 has no "&&".
  const next = [...(folder === process.cwd() ? [] : [`cd ${quoteWord(dir)}`]), install, dev]
  console.log(`Created ${basename(folder)} from the template "${template}". Next:\n\n  ${next.join('\n  ')}\n`)
}
