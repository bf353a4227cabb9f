import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { linesAround } from '../../../src/server/failures/stacks/source-map-file.ts'
import type { DevCode } from '../../../src/shared/wire/dev-protocol.ts'

/** Returns the lines around a place in a file of the site in `dir`, or null when they cannot be read. */
export function readCode(dir: string, file: string, line: number): DevCode | null {
  try {
    return linesAround(readFileSync(resolve(dir, file), 'utf8').split(/\r?\n/), line)
  } catch {
    return null
  }
}
