import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { isRunning } from '../../src/server/util/is-running.ts'
import { hasCode } from '../../src/server/util/message-of.ts'

const POLL_MS = 50
/** A process holds the second lock for less than a millisecond, unless it is killed in that time. */
const LEFT_AFTER_MS = 5_000

/** Runs a function while no other process runs one for the same folder. */
export async function withLock(folder: string, work: () => Promise<void>): Promise<void> {
  const name = createHash('sha256').update(`${process.getuid?.()} ${folder}`).digest('hex').slice(0, 16)
  const file = join(tmpdir(), `hydrant-test-${name}.lock`)
  while (!take(file)) {
    removeDead(file)
    await setTimeout(POLL_MS)
  }
  try {
    await work()
  } finally {
    rmSync(file, { force: true })
  }
}

/** Writes a lock file with the id of this process. Returns false if there is one already. */
function take(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
    return false
  }
}

/**
 * Removes a lock file whose process has ended. Only one process at a time does so, with a second lock: another process
 * may take the lock between a look at the file and its removal.
 */
function removeDead(file: string): void {
  if (isHeld(file)) return
  const second = `${file}.remove`
  if (!take(second)) {
    const stats = statSync(second, { throwIfNoEntry: false })
    if (stats && Date.now() - stats.mtimeMs > LEFT_AFTER_MS) rmSync(second, { force: true })
    return
  }
  try {
    if (!isHeld(file)) rmSync(file, { force: true })
  } finally {
    rmSync(second, { force: true })
  }
}

function isHeld(file: string): boolean {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    // A process has just created an empty file, and is about to write its id.
    return pid === 0 || isRunning(pid)
  } catch {
    // Another process has removed it.
    return false
  }
}
