import { existsSync, promises } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { renameWithRetries } from '../../scripts/open-files.ts'

const { rename } = promises

/** Makes the next renames fail, as Windows does while another process has the file open. Returns the number of calls. */
function failRenames(t: Pick<Test, 'teardown'>, codes: readonly string[]): () => number {
  let calls = 0
  promises.rename = async (from, to) => {
    const code = codes[calls++]
    if (code !== undefined) throw Object.assign(new Error(`${code}: rename`), { code })
    await rename(from, to)
  }
  syncBuiltinESMExports()
  t.teardown(() => {
    promises.rename = rename
    syncBuiltinESMExports()
  })
  return () => calls
}

t.test('a folder with a file that is open for a moment is renamed later', async (t) => {
  const dir = t.testdir({ new: { 'a.txt': '' } })
  const calls = failRenames(t, ['EPERM', 'EBUSY', 'EACCES'])
  await renameWithRetries(join(dir, 'new'), join(dir, 'old'))
  t.equal(calls(), 4)
  t.ok(existsSync(join(dir, 'old/a.txt')))
})

t.test('other errors, and a file that stays open, reject', async (t) => {
  const dir = t.testdir({ new: '' })
  const once = failRenames(t, ['ENOSPC'])
  await t.rejects(renameWithRetries(join(dir, 'new'), join(dir, 'old')), { code: 'ENOSPC' })
  t.equal(once(), 1)
  const often = failRenames(t, new Array(1000).fill('EPERM'))
  await t.rejects(renameWithRetries(join(dir, 'new'), join(dir, 'old')), { code: 'EPERM' })
  t.ok(often() > 10)
  t.ok(existsSync(join(dir, 'new')))
})
