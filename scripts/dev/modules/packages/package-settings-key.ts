import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../../../../src/server/util/message-of.ts'
import type { SiteConfig } from '../../../build/bundles/read-config.ts'
import { contentHash } from '../../../build/esbuild/content-hash.ts'
import { foldersFrom, readPackage } from '../../../build/esbuild/site-package.ts'

/**
 * Returns a hash that changes with the settings that packages are bundled with. A plugin may do anything that its
 * configuration says. The paths in `tsconfig.json` also apply to the names of packages.
 */
export function packageSettingsKey(siteDir: string, { options, isStrict, key }: SiteConfig): string {
  const { define, loader, alias, plugins } = options
  const { type } = readPackage(siteDir)
  const pluginsKey = plugins.length > 0 ? key : null
  return contentHash(JSON.stringify([define, loader, alias, isStrict, pluginsKey, type, tsconfigsOf(siteDir)]))
}

/** Returns the contents of the files `tsconfig.json` and `tsconfig.*.json` in the site's folder and those above it. */
function tsconfigsOf(siteDir: string): string[] {
  return foldersFrom(siteDir).flatMap((folder) => {
    const names = namesInFolder(folder).filter((name) => /^tsconfig(?:\.[\w.-]+)?\.json$/.test(name))
    return names.sort().map((name) => readFileSync(join(folder, name), 'utf8'))
  })
}

function namesInFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // The system may not allow listing a parent folder.
    if (hasCode(error, 'EACCES')) return []
    throw error
  }
}
