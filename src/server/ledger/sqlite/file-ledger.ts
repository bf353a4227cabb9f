import { renameSync, statSync } from 'node:fs'
import { createDelegateLedger } from '../delegate-ledger.ts'
import type { Ledger, LedgerLimits } from '../ledger.ts'
import { openSqliteLedger } from './sqlite-ledger.ts'

/** Says something about the ledger that an operator has to know. */
export type Notice = (text: string) => void

interface Opened {
  ledger: Ledger
  /** Which file it is, whatever its name: null for one that is gone already. */
  inode: number | null
}

/**
 * A ledger in a file which looks after that file: it is opened with the first use, made anew when it was removed, and
 * moved aside when it is damaged.
 */
export function createFileLedger(file: string, limits: LedgerLimits, notice: Notice): Ledger {
  let opened: Promise<Opened> | null = null

  async function open(): Promise<Opened> {
    const inode = inodeOf(file)
    try {
      return { ledger: await openSqliteLedger(file, limits), inode: inodeOf(file) }
    } catch (error) {
      if (!isDamage(error)) throw error
      moveAside(file, inode, notice)
      return { ledger: await openSqliteLedger(file, limits), inode: inodeOf(file) }
    }
  }

  async function current(): Promise<Opened> {
    const before = await opened
    if (before && before.inode !== inodeOf(file)) await close()
    opened ??= open().catch((error: unknown) => {
      opened = null
      throw error
    })
    return opened
  }

  async function close() {
    const closing = opened
    opened = null
    const { ledger } = (await closing) ?? {}
    await ledger?.close()
  }

  return createDelegateLedger(async (work) => {
    const { ledger, inode } = await current()
    try {
      return await work(ledger)
    } catch (error) {
      if (!isDamage(error)) throw error
      await close()
      moveAside(file, inode, notice)
      const next = await current()
      return work(next.ledger)
    }
  }, close)
}

function isDamage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'HYD_LEDGER_DAMAGED'
}

function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null
}

// Another process may have done it, and the name then stands for a file that is sound.
function moveAside(file: string, inode: number | null, notice: Notice) {
  if (inode === null || inodeOf(file) !== inode) return
  const aside = `${file}.corrupt-${new Date().toISOString().replaceAll(':', '-')}`
  // The log first: a new file must not find it.
  for (const suffix of ['-wal', '-shm', '']) {
    if (inodeOf(file + suffix) !== null) renameSync(file + suffix, aside + suffix)
  }
  notice(`the ledger ${file} is damaged: it was moved to ${aside}, and a new ledger was created`)
}
