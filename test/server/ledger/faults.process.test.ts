// Failures while the ledger itself fails: only the log reports it.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createServer } from '../../../src/server/create-server.ts'
import { startPostgres } from '../../postgres.ts'
import { until } from '../../until.ts'
import { serveFailingSite } from './failing-site.ts'

t.test('a file that another process locks is written once the lock is released', async (t) => {
  const site = await serveFailingSite(t, 'errors.db')
  await site.fail(t, 1)
  await site.counted(1)
  const release = await holdFile(t, join(site.dir, 'errors.db'))
  await site.fail(t, 2)
  await until(() => site.warnings().length > 0)
  t.match(site.warnings(), [
    {
      msg: /^the ledger cannot be written, so failures are kept in memory for now: .*errors\.db failed: database is locked$/,
      queued: 2,
      dropped: 0,
    },
  ])
  await site.fail(t, 2)
  await release()
  await site.counted(5)
  t.equal(site.warnings().length, 1)
  await until(() => site.lines.some(({ msg }) => msg === 'the ledger can be written again'))
})

t.test(
  'a disk that is full is written once there is space (where no disk can be mounted: a file that may not grow)',
  async (t) => {
    const disk = createSmallDisk(t)
    const site = await serveFailingSite(t, join(disk.folder, 'errors.db'))
    await site.fail(t, 1)
    await site.counted(1)
    disk.fill()
    await site.fail(t, 2)
    await until(() => site.warnings().length > 0)
    t.match(site.warnings(), [
      { msg: /the ledger cannot be written, so .* failed: (database or disk is full|disk I\/O error)$/ },
    ])
    await site.fail(t, 2)
    disk.empty()
    await site.counted(5)
    t.equal(site.warnings().length, 1)
  },
)

t.test('a folder without write permission causes one warning, and failures are kept in memory', async (t) => {
  const site = await serveFailingSite(t, '/proc/hydrant-errors.db')
  await site.fail(t, 3)
  await site.counted(3)
  await site.fail(t, 1)
  await site.counted(4)
  t.match(site.warnings(), [
    {
      err: { type: 'HydrantError', code: 'HYD_LEDGER_UNWRITABLE' },
      msg: /^failures are kept in memory until the server stops: the ledger \/proc\/.* cannot be written: .*\. Make its folder writable/,
    },
  ])
  t.equal(site.warnings().length, 1)
  t.strictSame(site.stats(), { queued: 0, dropped: 0, written: 0, inMemory: 4 }, 'none counts as written')
  await site.close()
  t.match(site.warnings().at(-1), { msg: /^occurrences of failures are lost, because/, inMemory: 4 })
})

t.test('failures wait while the folder of the ledger is gone, and are written when it is back', async (t) => {
  const dir = t.testdir({ ledger: {} })
  const folder = join(dir, 'ledger')
  const site = await serveFailingSite(t, 'ledger/errors.db', dir)
  await site.fail(t, 1)
  await site.counted(1)
  rmSync(folder, { recursive: true })
  await site.fail(t, 2)
  await until(() => site.warnings().length > 0)
  await until(() => site.stats().queued === 2)
  // The first batch may have had one of them.
  t.match(site.warnings(), [{ msg: /^the ledger cannot be written, so .*no such file or directory/, queued: Number }])
  t.strictSame(site.stats(), { queued: 2, dropped: 0, written: 1, inMemory: 0 })
  mkdirSync(folder)
  await site.counted(2)
  t.strictSame(site.stats(), { queued: 0, dropped: 0, written: 3, inMemory: 0 })
  t.equal(site.warnings().length, 1)
})

t.test('a damaged file is moved aside with a warning', async (t) => {
  const dir = t.testdir({ 'hydrant-errors.db': 'no database at all '.repeat(500) })
  const site = await serveFailingSite(t, 'hydrant-errors.db', dir)
  await site.fail(t, 2)
  await site.counted(2)
  t.match(site.warnings(), [{ msg: /errors\.db is damaged: it was moved to .*errors\.db\.corrupt-/ }])
  t.equal(readdirSync(dir).filter((file) => file.startsWith('hydrant-errors.db.corrupt-')).length, 1)
})

t.test('PostgreSQL becomes unavailable and comes back', async (t) => {
  const postgres = startPostgres(t)
  const site = await serveFailingSite(t, postgres.url)
  await site.fail(t, 1)
  await site.counted(1)
  postgres.stop()
  await site.fail(t, 3)
  await until(() => site.warnings().length > 0)
  await site.fail(t, 2)
  postgres.start()
  await site.counted(6)
  t.match(site.warnings(), [
    { msg: /the ledger cannot be written, so .*: the ledger postgres:\/\/\/postgres cannot be reached: / },
  ])
  t.equal(site.warnings().length, 1)
  t.notMatch(JSON.stringify(site.lines), 'a-password')
})

t.test('failures that could not be written until the end are reported as lost', async (t) => {
  const site = await serveFailingSite(t, 'postgres://me:a-password@127.0.0.1:1/errors')
  await site.fail(t, 2)
  await site.close()
  t.match(site.warnings().at(-1), { msg: /^occurrences of failures are lost, because/, queued: 2 })
  t.notMatch(JSON.stringify(site.lines), 'a-password')
})

t.test('with false nothing is kept and no file is created', async (t) => {
  const site = await serveFailingSite(t, false)
  await site.fail(t, 2)
  t.strictSame(await site.ledger.list({}), [])
  await until(() => site.stats().queued === 0)
  t.match(site.stats(), { written: 0, inMemory: 0 })
  await site.close()
  t.strictSame(
    readdirSync(site.dir).filter((file) => file.includes('.db')),
    [],
  )
  t.strictSame(site.warnings(), [])
})

t.test('a server that never fails opens nothing', async (t) => {
  const site = await serveFailingSite(t, 'errors.db')
  await site.close()
  t.notOk(existsSync(join(site.dir, 'errors.db')))
})

t.test('a ledger that visitors could fetch is refused, and so is an invalid URL', async (t) => {
  const { dir } = await serveFailingSite(t, false)
  const refused = { code: 'HYD_OPTION_INVALID' }
  await t.rejects(createServer({ dir, logger: false, ledger: 'public/errors.db' }), {
    ...refused,
    message: /outside of public/,
  })
  await t.rejects(createServer({ dir, logger: false, ledger: join(dir, 'public', 'a', 'b.db') }), refused)
  await t.rejects(createServer({ dir, logger: false, ledger: 'Public/errors.db' }), refused)
  const error = await createServer({ dir, logger: false, ledger: 'postgres://me:a-secret@host:x/y' }).catch(
    (error: Error) => error,
  )
  t.match(error, { ...refused, message: /^"ledger" must be a URL like/ })
  t.notMatch(String(error), 'a-secret')
  process.env.HYDRANT_LEDGER = 'public/errors.db'
  t.teardown(() => {
    delete process.env.HYDRANT_LEDGER
  })
  await t.rejects(createServer({ dir, logger: false, ledger: 'errors.db' }), {
    message: /^"?HYDRANT_LEDGER"? must be a file outside of public/,
    fix: 'Correct the variable HYDRANT_LEDGER in the environment or in the .env files.',
  })
})

/** Lets another process lock a file for writing. Returns a function that releases the lock. */
async function holdFile(t: Test, file: string): Promise<() => Promise<void>> {
  const program = `
    const { DatabaseSync } = require('@photostructure/sqlite')
    const db = new DatabaseSync(${JSON.stringify(file)})
    db.exec('BEGIN IMMEDIATE')
    console.log('held')
    process.stdin.resume()`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  async function release() {
    child.kill('SIGKILL')
    await closed
  }
  t.teardown(release)
  await once(child.stdout, 'data')
  return release
}

interface SmallDisk {
  folder: string
  fill(): void
  empty(): void
}

function createSmallDisk(t: Test): SmallDisk {
  // In a separate place, where other tests would not find it if this test is killed.
  const folder = mkdtempSync(join(tmpdir(), 'hydrant-disk-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    // This user, or this container, may not mount.
    return createBoundProcess(t, folder)
  }
  t.teardown(() => execFileSync('umount', [folder]))
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      for (const size of [100_000, 4_096]) {
        try {
          for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: 'a' })
        } catch {
          // The disk is full, as intended.
        }
      }
    },
    empty: () => rmSync(filler),
  }
}

// Limits the file size of this process: its writes fail, as on a full disk.
function createBoundProcess(t: Test, folder: string): SmallDisk {
  const limit = (bytes: string) => void execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`])
  const empty = () => limit('unlimited')
  t.teardown(empty)
  // Without a handler the signal would end the process.
  process.on('SIGXFSZ', () => {})
  return { folder, fill: () => limit('4096'), empty }
}
