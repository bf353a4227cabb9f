import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { hasCode } from '../../src/server/util/has-code.ts'
import { isRunning } from '../is-running.ts'

const POLL_MS = 50

/** Runs a function while no other process runs one for the same folder. */
export async function withLock(folder: string, work: () => Promise<void>): Promise<void> {
  const name = createHash('sha256').update(`${process.getuid?.()} ${folder}`).digest('hex').slice(0, 16)
  const file = join(tmpdir(), `hydrant-test-${name}.lock`)
  while (!take(file)) await setTimeout(POLL_MS)
  try {
    await work()
  } finally {
    rmSync(file, { force: true })
  }
}

/** Writes the lock file. Returns false if there is one already, and removes it if its process has ended. */
function take(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
  if (!isHeld(file)) rmSync(file, { force: true })
  return false
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
