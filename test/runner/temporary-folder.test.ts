// The folder for what the tests write outside the repository.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { createTemporaryFolder } from '../temporary-folder.ts'

t.test('other users may enter a new folder, and the folders of killed runs are removed', async (t) => {
  const folder = createTemporaryFolder()
  t.teardown(() => rmSync(folder, { recursive: true }))
  t.equal(statSync(folder).mode & 0o777, 0o755)

  const { pid } = spawnSync(process.execPath, ['--version'])
  const abandoned = mkdtempSync(join(dirname(folder), `hydrant-tests-${pid}-`))
  const used = mkdtempSync(join(dirname(folder), `hydrant-tests-${process.pid}-`))
  t.teardown(() => rmSync(used, { recursive: true }))
  rmSync(createTemporaryFolder(), { recursive: true })
  t.notOk(existsSync(abandoned), 'its process has ended')
  t.ok(existsSync(used), 'its process runs')
})
