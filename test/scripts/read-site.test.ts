import { promises, symlinkSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import t from 'tap'

// Windows does not tell the real path of a file on some drives, as those in memory.
promises.realpath = async (path: unknown) => {
  throw Object.assign(new Error(`EISDIR: illegal operation on a directory, realpath '${path}'`), { code: 'EISDIR' })
}
syncBuiltinESMExports()
const { readSite } = await import('../../scripts/build/discover/read-site.ts')

t.test('a site on a drive whose driver does not know real paths', async (t) => {
  const dir = t.testdir({
    pages: { 'index.tsx': '', in: { 'a.tsx': '' } },
    public: { 'a.txt': '', in: { 'b.txt': '' }, '.hidden': '', '.well-known': { c: '' } },
    'secret.txt': '',
  })
  symlinkSync('in', join(dir, 'public/link'))
  symlinkSync('../secret.txt', join(dir, 'public/out'))
  const { files, problems } = await readSite(dir)
  t.strictSame(files.pages, ['in/a.tsx', 'index.tsx'])
  t.strictSame(files.publicFiles, ['.well-known/c', 'a.txt', 'in/b.txt', 'link/b.txt'])
  t.match(problems, [{ code: 'HYD_BUILD_PUBLIC_LINK', location: { file: 'public/out' } }])
})
