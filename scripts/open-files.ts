import { rename } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { hasCode } from '../src/server/util/unknown-values.ts'

// Windows neither removes nor renames a folder while another program has one of its files open. A virus scanner opens
// each new file for a moment.

const OPEN_CODES = ['EACCES', 'EBUSY', 'EPERM']
const PAUSE_MS = 50
const MAX_TRIES = 20

/** Renames a file or a folder. If it is open in another process, it waits up to a second. Rejects with Node.js's error. */
export async function renameWithRetries(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await rename(from, to)
    } catch (error) {
      if (tries === MAX_TRIES || !OPEN_CODES.some((code) => hasCode(error, code))) throw error
      await setTimeout(PAUSE_MS)
    }
  }
}
