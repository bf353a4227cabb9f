import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { isFit } from '../../../src/server/ledger/sqlite/driver.ts'

const NODE = process.versions.node
const BUILT = join(import.meta.dirname, '../../../src')

t.test('decides which better-sqlite3 fits which Node.js', async (t) => {
  const fit = (driver: string) =>
    ['20.19.0', '22.13.1', '22.14.0', '23.5.0', '23.6.0', '24.0.0', '26.10.0'].map((node) => isFit(driver, node))
  t.strictSame(fit('12.11.1'), [true, true, true, true, true, false, false])
  t.strictSame(fit('13.0.0'), [false, false, true, false, true, true, true])
  t.strictSame(fit('14.0.0-beta.1'), [false, false, true, false, true, true, true])
})

/** Returns the result of loading the driver, from a copy of the build, next to the packages of that folder. */
function load(folder: string): string {
  cpSync(BUILT, join(folder, 'src'), { recursive: true })
  const url = pathToFileURL(join(folder, 'src/server/ledger/sqlite/driver.js'))
  const program = `import { loadDriver } from '${url}'
    await loadDriver('a.db').then(() => console.log('loaded'), ({ message, fix }) => console.log(message, fix))`
  return execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }).trim()
}

for (const version of ['12.11.1', '13.2.0']) {
  const isRefused = !isFit(version, NODE)
  t.test(`better-sqlite3 ${version} is ${isRefused ? 'refused' : 'loaded'} on Node.js ${NODE}`, async (t) => {
    const folder = t.testdir({
      'package.json': '{"type":"module"}',
      node_modules: {
        'better-sqlite3': {
          // The program of version 13. Its package.json is not exported.
          'package.json': JSON.stringify({ version, exports: './lib/index.js' }),
          lib: { 'index.js': isRefused ? 'process.abort()' : 'module.exports = class { close() {} }' },
        },
      },
    })
    const expected = new RegExp(
      isRefused
        ? `^the ledger a\\.db needs another version of better-sqlite3: version ${version} would crash .* ${NODE} .*@13"`
        : '^loaded$',
    )
    t.match(load(folder), expected)
  })
}
