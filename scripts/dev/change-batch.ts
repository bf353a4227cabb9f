export type ChangeKind = 'add' | 'change' | 'unlink'

export interface Change {
  kind: ChangeKind
  /** Relative to the site. */
  path: string
  /** Whether the change can be shown before those of other files: a stylesheet (false). */
  isUrgent?: boolean
}

/** Collects the changes that are made together. */
export interface ChangeBatch {
  add(change: Change): void
  /** Notes that the file system has reported an event of a file whose kind is not known yet. */
  expect(path: string): void
  /** Notes that the kind of a file's event is known. */
  meet(path: string): void
  /** Resolves when there are no changes to pass on, and no events of unknown kind. */
  settled(): Promise<void>
  close(): void
}

/** Several files are often saved at once. A batch waits for this time without a change. */
const DEBOUNCE_MS = 8
/** How long a batch of urgent changes only waits. */
const URGENT_MS = 1
/** Some editors remove a file and write it again. A batch waits for this time after a file was removed. */
const REMOVAL_MS = 50
/** How long the kind of an event may be unknown. */
const EXAMINATION_MS = 60

/** @param onChange Called with each batch. */
export function createChangeBatch(onChange: (changes: Change[]) => void): ChangeBatch {
  const changed = new Map<string, Change>()
  const expected = new Map<string, NodeJS.Timeout>()
  let timer: NodeJS.Timeout | undefined
  let waiting: (() => void)[] = []

  function settle() {
    if (timer !== undefined || expected.size > 0 || changed.size > 0) return
    for (const resume of waiting) resume()
    waiting = []
  }

  function passOn() {
    timer = undefined
    // A new file is known a little later than a change, and belongs to the same batch.
    if (expected.size > 0) return
    const changes = [...changed.values()]
    changed.clear()
    onChange(changes)
    settle()
  }

  function meet(path: string) {
    clearTimeout(expected.get(path))
    expected.delete(path)
    if (expected.size === 0 && timer === undefined && changed.size > 0) passOn()
    settle()
  }

  return {
    meet,
    add(change) {
      // A file that is replaced is removed and added.
      const isReplaced = changed.get(change.path)?.kind === 'unlink' && change.kind === 'add'
      changed.set(change.path, isReplaced ? { ...change, kind: 'change' } : change)
      clearTimeout(timer)
      timer = setTimeout(passOn, Math.max(...[...changed.values()].map(waitOf)))
    },
    expect(path) {
      clearTimeout(expected.get(path))
      expected.set(
        path,
        setTimeout(() => meet(path), EXAMINATION_MS),
      )
    },
    async settled() {
      if (timer === undefined && expected.size === 0 && changed.size === 0) return
      await new Promise<void>((resume) => waiting.push(resume))
    },
    close() {
      clearTimeout(timer)
      timer = undefined
      changed.clear()
      for (const path of [...expected.keys()]) meet(path)
      settle()
    },
  }
}

function waitOf({ kind, isUrgent }: Change): number {
  if (kind === 'unlink') return REMOVAL_MS
  return isUrgent ? URGENT_MS : DEBOUNCE_MS
}
