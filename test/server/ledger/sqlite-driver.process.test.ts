import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { WITHOUT_SQLITE } from '../../refuse-modules.ts'
import { openDatabase } from './open-database.ts'
import { testSqliteErrors } from './sqlite-errors.ts'

const BUILT = join(import.meta.dirname, '../../../src')

/** Returns the result of loading the driver, from a copy of the build, next to the packages of that folder. */
function load(folder: string): string {
  cpSync(BUILT, join(folder, 'src'), { recursive: true })
  const url = pathToFileURL(join(folder, 'src/server/ledger/sqlite/database.js'))
  const program = `import { loadDriver } from '${url}'
    await loadDriver('a.db').then(console.log, ({ message, fix }) => console.log(message, fix))`
  const words = [...WITHOUT_SQLITE, '--input-type=module', '--eval', program]
  return execFileSync(process.execPath, words, { encoding: 'utf8' }).trim()
}

t.test('names the missing binary of a machine for which the package has none', async (t) => {
  const folder = t.testdir({ 'package.json': '{"type":"module"}' })
  // The package without its binaries.
  cpSync('node_modules/@photostructure/sqlite', join(folder, 'node_modules/@photostructure/sqlite'), {
    recursive: true,
    filter: (path) => !/sqlite\/(?:prebuilds|build)$/.test(path),
  })
  cpSync('node_modules/node-gyp-build', join(folder, 'node_modules/node-gyp-build'), { recursive: true })
  t.match(
    load(folder),
    /^the ledger a\.db needs the package @photostructure\/sqlite, which cannot be loaded: No native build was found for platform=\S+ arch=[^\n]+ Use Node\.js 22\.13 or newer, run "npm install @photostructure\/sqlite@1", or .* run "npm rebuild/,
  )
})

testSqliteErrors(t, openDatabase)
