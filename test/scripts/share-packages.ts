import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/**
 * Lets a site of a test find the packages that `hydrant dev` has bundled for other sites of this run, as it finds those
 * of its own first start at the second one. Bundling React takes a third of the time of a start.
 */
export function sharePackages(dir: string): void {
  const { TEST_FOLDER } = process.env
  // The bundle names its sources relative to the folder of the site.
  const isFixture = dirname(dir) === resolve('.tap/fixtures')
  if (TEST_FOLDER === undefined || !isFixture || existsSync(join(dir, 'node_modules'))) return
  const folder = join(TEST_FOLDER, 'bundled-packages')
  mkdirSync(folder, { recursive: true })
  mkdirSync(join(dir, 'node_modules/.cache'), { recursive: true })
  symlinkSync(folder, join(dir, 'node_modules/.cache/hydrant'))
}
