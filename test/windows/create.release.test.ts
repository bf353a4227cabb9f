// `hydrant create` on Windows, and the scripts of its sites, which npm runs through `cmd`.

import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { findNpm } from '../node-version.ts'
import { copyPackages } from '../package/copy-packages.ts'
import { walk } from '../scripts/walk.ts'
import { createSitesFolder, createSystemSite, hydrantOnWindows, readFiles, runHydrant } from './windows-site.ts'
import { installFor, prepareWindows, programOf, runWindows, toWindowsPath } from './wine.ts'

const TEMPLATES = ['minimal', 'tailwind', 'plugin']
/** The programs that the scripts of the sites run, with their packages. */
const PROGRAMS = { hydrant: 'hydrant/dist/scripts/cli.js', tsc: 'typescript/bin/tsc' }

await prepareWindows()
const folder = createSitesFolder(t)
const windows = await createSystemSite(folder, 'win32', 'around', {})
const linux = await createSystemSite(folder, 'linux', 'around', {})
const plugin = join(windows, 'plugin')

t.test('hydrant create writes the files that it writes on Linux', async (t) => {
  for (const template of TEMPLATES) {
    const { code, output } = await runHydrant('win32', windows, ['create', template, '--template', template])
    t.equal(code, 0, output)
    await runHydrant('linux', linux, ['create', template, '--template', template])
    const files = walk(join(linux, template))
    t.ok(files.length > 15)
    t.strictSame(readFiles(join(windows, template)), readFiles(join(linux, template)))
  }
})

t.test('hydrant create says how to reach a folder with spaces', async (t) => {
  const target = toWindowsPath(join(windows, '../a new site'))
  const { output } = await hydrantOnWindows(['create', target], { cwd: windows })
  t.match(output, `cd "${target}"`)
})

t.test('the scripts of the site succeed and fail through cmd', async (t) => {
  await copyPackages(await installFor('win32', folder), plugin)
  writeShims(join(plugin, 'node_modules/.bin'))
  const env = { WINEPATH: toWindowsPath(dirname(await programOf(22))) }
  const npm = (...words: string[]) => runWindows([findNpm(), ...words], { cwd: plugin, env })
  const built = await npm('run', 'build')
  t.equal(built.code, 0, built.output)
  const words = ['--env-file=production.env', '--test', 'test/app.test.js']
  const tested = await runWindows(words, { cwd: plugin })
  t.equal(tested.code, 0, tested.output)
  writeFileSync(join(plugin, 'site/pages/broken.tsx'), 'export default <\n')
  const failed = await npm('exec', 'hydrant', 'build', 'site')
  t.equal(failed.code, 1)
  t.match(failed.output, 'HYD_BUILD_SYNTAX')
})

/**
 * Replaces npm's links for Linux by batch files like those of pnpm. Those of npm jump to a label that does not exist,
 * which ends `cmd` in Wine.
 */
function writeShims(folder: string) {
  for (const [name, path] of Object.entries(PROGRAMS)) {
    rmSync(join(folder, name))
    writeFileSync(join(folder, `${name}.cmd`), `@node "%~dp0\\..\\${path.replaceAll('/', '\\')}" %*\r\n`)
  }
}
