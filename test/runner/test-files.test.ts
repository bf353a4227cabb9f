// Which files the test runner starts, and when.

import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { listTests, usesDocumentedPackages, usesTools } from '../test-files.ts'

t.test('every test is listed once, the slowest first, without compiled files of deleted ones', async (t) => {
  const all = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((file) => /\.test\.tsx?$/.test(file))
  const deleted = 'dist/test/runner/deleted.test.js'
  t.teardown(() => rmSync(deleted))
  writeFileSync(deleted, '')
  const listed = listTests()
  t.equal(listed[0], 'dist/test/docs/guide.test.js')
  t.strictSame(listed.sort(), all.map((file) => `dist/test/${file.replace(/tsx?$/, 'js')}`).sort())
})

t.test('a file waits for the tools that are started by it, or by what it imports', async (t) => {
  for (const file of ['browser/forms', 'docs/guide', 'proxy/contract', 'failures/to-the-line'])
    t.ok(usesTools(`dist/test/${file}.test.js`), file)
  for (const file of ['package/links', 'scripts/discover', 'attacks/caches'])
    t.notOk(usesTools(`dist/test/${file}.test.js`), file)
})

t.test('a file waits for the packages of the documents that are installed by it, or by what it imports', async (t) => {
  for (const file of ['docs/code-sites', 'examples/shop', 'browser/dev/mdx'])
    t.ok(usesDocumentedPackages(`dist/test/${file}.test.js`), file)
  t.notOk(usesDocumentedPackages('dist/test/docs/guide.test.js'))
})
