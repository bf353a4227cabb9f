// Programs that the test files of one process use one after the other.

import type { Test } from 'tap'

/** Null while the process belongs to one file. */
let ends: (() => Promise<unknown>)[] | null = null

/** Keeps programs until `endKept`, because more files follow in this process. */
export function keepPrograms(): void {
  ends = []
}

/** Calls `end` at the end of the test, or after the last file of a process that several files share. */
export function endLater(t: Pick<Test, 'teardown'>, end: () => Promise<unknown>): void {
  if (ends) ends.push(end)
  else t.teardown(end)
}

export async function endKept(): Promise<void> {
  for (const end of ends?.splice(0) ?? []) await end()
}
