import { renameSync, statSync } from 'node:fs'
import { hasCode } from '../../util/unknown-values.ts'
import type { Ledger, LedgerLimits } from '../ledger.ts'
import { createDelegateLedger } from '../ledger-rpc.ts'
import { refuseForeignFile } from './open-file.ts'
import { openSqliteLedger } from './sqlite-ledger.ts'

/** Logs a warning about the ledger for operators. */
export type LogNotice = (text: string) => void

interface Opened {
  ledger: Ledger
  /** The file's inode; null if the file has been removed. */
  inode: number | null
}

/**
 * Creates a ledger in a file. The first call opens the file. A file that was removed is created again, and a damaged
 * one is renamed and replaced. Its methods reject with the errors of `openSqliteLedger`. `notice` may get the same text
 * again.
 *
 * @param isKnown Whether the file was a ledger before: then whatever is in it now is a damaged ledger (false).
 */
export function createFileLedger(file: string, limits: LedgerLimits, notice: LogNotice, isKnown = false): Ledger {
  let wasOpen = isKnown
  let opened: Promise<Opened> | null = null

  async function open(): Promise<Opened> {
    const inode = inodeOf(file)
    if (!wasOpen) refuseForeignFile(file)
    try {
      return { ledger: await openSqliteLedger(file, limits), inode: inodeOf(file) }
    } catch (error) {
      if (!hasCode(error, 'HYD_LEDGER_DAMAGED')) throw error
      moveAside(file, inode, notice)
      return { ledger: await openSqliteLedger(file, limits), inode: inodeOf(file) }
    }
  }

  async function openCurrent(): Promise<Opened> {
    const before = await opened
    if (before && before.inode !== inodeOf(file)) await close()
    opened ??= open().catch((error: unknown) => {
      opened = null
      throw error
    })
    const current = await opened
    wasOpen = true
    return current
  }

  async function close() {
    const closing = opened
    opened = null
    const { ledger } = (await closing) ?? {}
    await ledger?.close()
  }

  return createDelegateLedger(async (work) => {
    const { ledger, inode } = await openCurrent()
    try {
      return await work(ledger)
    } catch (error) {
      if (!hasCode(error, 'HYD_LEDGER_DAMAGED')) throw error
      await close()
      moveAside(file, inode, notice)
      const next = await openCurrent()
      return work(next.ledger)
    }
  }, close)
}

function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null
}

// Another process may have renamed the damaged file already. The name then belongs to a new file.
function moveAside(file: string, inode: number | null, notice: LogNotice) {
  if (inode === null || inodeOf(file) !== inode) return
  const aside = `${file}.corrupt-${new Date().toISOString().replaceAll(':', '-')}`
  // First the write-ahead log: a new file must not get the log of the damaged one.
  for (const suffix of ['-wal', '-shm', '']) {
    if (inodeOf(file + suffix) !== null) renameSync(file + suffix, aside + suffix)
  }
  notice(`the ledger ${file} is damaged: it was moved to ${aside}, and a new ledger was created`)
}
