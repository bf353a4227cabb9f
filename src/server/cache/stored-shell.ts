import { mixedPolicy } from '../http/headers.ts'
import { CompressedPrefix } from '../http/send-started.ts'
import type { StoredPage } from './stored-page.ts'

/** The parts that all responses with the same stored shell share. */
export interface StoredShell {
  start: CompressedPrefix
  /** The content type. */
  headers: readonly (readonly [name: string, value: string])[]
  /** The policy, without the nonces between its parts. */
  policy: readonly string[]
}

const shells = new WeakMap<StoredPage, StoredShell>()

/** Returns the parts that all responses with a stored shell share. They are created for the first response. */
export function shellOf(page: StoredPage): StoredShell {
  const existing = shells.get(page)
  if (existing) return existing
  const { headers, scripts } = page.response
  const shell = {
    start: new CompressedPrefix(page, (length) => page.grow(length)),
    headers,
    policy: mixedPolicy(scripts, PLACEHOLDER).split(PLACEHOLDER),
  }
  shells.set(page, shell)
  return shell
}

const PLACEHOLDER = '*'
