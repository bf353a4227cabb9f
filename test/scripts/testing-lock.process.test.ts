import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { listInputs, withLock } from '../../scripts/testing/build-once.ts'
import { until } from '../until.ts'

/** The id of a process that has ended. */
const DEAD = String(spawnSync('true').pid)
/** Long enough for a process that waits to look several times. */
const LOOKS_MS = 300

/** Returns a folder, and the path of its lock. The locks of the test are in a folder of its own. */
async function createLocked(t: Test) {
  const dir = t.testdir({ locks: {}, site: {} })
  process.env.TMPDIR = join(dir, 'locks')
  const folder = join(dir, 'site')
  let name = ''
  await withLock(folder, async () => {
    ;[name = ''] = readdirSync(join(dir, 'locks'))
  })
  return { folder, lock: join(dir, 'locks', name) }
}

/** Starts work that needs the lock. `isDone` tells whether it has run. */
function startWork(folder: string) {
  let isDone = false
  const work = withLock(folder, async () => {
    isDone = true
  })
  return { work, isDone: () => isDone }
}

t.test('a lock contains the id of its process, and is removed after the work, also after a failure', async (t) => {
  const { folder, lock } = await createLocked(t)
  await withLock(folder, async () => {
    t.equal(readFileSync(lock, 'utf8'), String(process.pid))
  })
  t.notOk(existsSync(lock))
  await t.rejects(
    withLock(folder, async () => {
      throw new Error('it failed')
    }),
    { message: 'it failed' },
  )
  t.notOk(existsSync(lock))
})

t.test('a process waits for a lock whose process runs, and takes one whose process has ended', async (t) => {
  const { folder, lock } = await createLocked(t)
  writeFileSync(lock, String(process.pid))
  const { work, isDone } = startWork(folder)
  await setTimeout(LOOKS_MS)
  t.notOk(isDone())
  writeFileSync(lock, DEAD)
  await work
  t.ok(isDone())
  t.strictSame(readdirSync(join(lock, '..')), [], 'no file stays')
})

t.test('two processes that find the lock of an ended process do not both take it', async (t) => {
  const { folder, lock } = await createLocked(t)
  const second = `${lock}.remove`
  // Another process has found the dead lock, and is about to remove it.
  writeFileSync(lock, DEAD)
  writeFileSync(second, String(process.pid))
  const { work, isDone } = startWork(folder)
  await setTimeout(LOOKS_MS)
  t.equal(readFileSync(lock, 'utf8'), DEAD, 'this process does not remove it meanwhile')
  // The other process removes it, and takes the lock.
  writeFileSync(lock, String(process.pid))
  rmSync(second)
  await setTimeout(LOOKS_MS)
  t.notOk(isDone())
  t.ok(existsSync(lock), 'the lock of the other process stays')
  rmSync(lock)
  await work
  t.ok(isDone())
})

t.test('a second lock that a killed process has left is removed', async (t) => {
  const { folder, lock } = await createLocked(t)
  const second = `${lock}.remove`
  writeFileSync(lock, DEAD)
  writeFileSync(second, DEAD)
  const past = new Date(Date.now() - 60_000)
  utimesSync(second, past, past)
  const { work, isDone } = startWork(folder)
  await until(isDone)
  await work
  t.notOk(existsSync(second))
})

t.test('the modules of the last build are inputs, whose names are URLs in its source map', async (t) => {
  const sources = ['../../pages/%5Bid%5D.tsx', '../../../lib/a%20b.ts', 'file:///far/c.ts']
  const dir = t.testdir({ '.hydrant': { server: { 'index.mjs.map': JSON.stringify({ sources }) } } })
  const inputs = listInputs(dir)
  for (const path of ['pages/[id].tsx', '../lib/a b.ts', '/far/c.ts']) t.ok(inputs.includes(resolve(dir, path)), path)
})
