import { createHydrantError } from '../../../../src/server/errors/hydrant-error.ts'
import { createDeadline, DEADLINE } from '../../../../src/server/util/deadline.ts'
import type { Chain, ModuleInstance } from './module-instances.ts'

/** Returns whether a chain waits for another one, or is that one: then the import between them is circular. */
export function isWaiting(chain: Chain, other: Chain): boolean {
  for (let one: Chain | null = chain; one; one = one.waitsFor) if (one === other) return true
  return false
}

/** Waits for the evaluation of a module. Rejects with its error, and with another one when the time has passed. */
export async function waitForInstance({ pending, chain }: ModuleInstance, deadlineMs: number): Promise<void> {
  const { passed, clear } = createDeadline(deadlineMs)
  try {
    if ((await Promise.race([pending, passed])) !== DEADLINE) return
  } finally {
    clear()
  }
  throw createHydrantError('HYD_AWAIT_TIMEOUT', [awaitedBy(chain), deadlineMs / 1_000])
}

/** Returns the module whose top-level await keeps a chain waiting. */
function awaitedBy(chain: Chain): string {
  let last = chain
  while (last.waitsFor) last = last.waitsFor
  return last.awaited ?? 'a module'
}
