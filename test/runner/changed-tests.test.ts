// Which test files a command runs.

import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { findChanged } from './changed-tests.ts'
import { isAlone, listTests, tierOf } from './tiers.ts'

const all = listTests()
const pathOf = (name: string) => `dist/test/${name}.test.js`

t.test('every test is listed once, by tier, without compiled files of deleted ones', async (t) => {
  const sources = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.test\.tsx?$/.test(file),
  )
  const deleted = 'dist/test/runner/deleted.test.js'
  t.teardown(() => rmSync(deleted))
  writeFileSync(deleted, '')
  t.strictSame(listTests().sort(), sources.map((file) => `dist/test/${file.replace(/tsx?$/, 'js')}`).sort())
  t.strictSame([...new Set(all.map(tierOf))], ['inject', 'smoke', 'release', 'process', 'browser'])
})

t.test('a change leads to the tests that import it, itself or through others, or start it as a program', async (t) => {
  const { tests, unreached } = findChanged(['src/shared/href.ts', 'docs/options.md', 'test/gone.ts'], all)
  const found = ['shared/href', 'smoke/commands.smoke', 'server/http/etag'].filter((name) =>
    tests.includes(pathOf(name)),
  )
  t.strictSame(found, ['shared/href', 'smoke/commands.smoke'])
  t.strictSame(unreached, ['docs/options.md'], 'a document, and not a file that is gone')
  const ofBrowser = findChanged(['src/client/navigator.ts'], all).tests
  t.ok(ofBrowser.includes(pathOf('browser/navigation.browser')), 'a build bundles it')
  t.strictSame(findChanged(['test/server/http/etag.test.ts'], all).tests, [pathOf('server/http/etag')])
})

t.test('a file that changes its process, or starts others, has one of its own', async (t) => {
  const expected = {
    'server/failures/stacks/error-stack': true,
    'scripts/cli.process': true,
    'server/http/etag': false,
    'browser/forms-sent.browser': false,
  }
  const found = Object.keys(expected).map((name) => [name, isAlone(pathOf(name))])
  t.strictSame(Object.fromEntries(found), expected)
})
