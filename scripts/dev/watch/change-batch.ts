export type ChangeKind = 'add' | 'change' | 'unlink'

export interface Change {
  kind: ChangeKind
  /** Relative to the site. */
  path: string
  /** Whether the change can be shown before those of other files: a stylesheet (false). */
  isUrgent?: boolean
  /** Whether the file has no content (false). */
  isEmpty?: boolean
}

/** Several files are often saved at once. A batch waits for this time without a change. */
const DEBOUNCE_MS = 8
/** A batch of several files waits longer: more of them may follow, and a busy machine may interrupt the program that saves. */
const SEVERAL_MS = 24
/** How long a batch waits that has only urgent changes. */
const URGENT_MS = 1
/** Many programs remove or empty a file just before they write it. A batch waits for this time for the new content. */
const GONE_MS = 50

/** @param onChange Called with each batch. */
export function createChangeBatch(onChange: (changes: Change[]) => void) {
  const changed = new Map<string, Change>()
  let timer: NodeJS.Timeout | undefined
  let waiting: (() => void)[] = []

  function settle() {
    for (const resume of waiting) resume()
    waiting = []
  }

  function passOn() {
    timer = undefined
    const changes = [...changed.values()]
    changed.clear()
    onChange(changes)
    settle()
  }

  return {
    add(change: Change) {
      changed.set(change.path, { ...change, kind: joinKinds(changed.get(change.path)?.kind, change.kind) })
      clearTimeout(timer)
      timer = setTimeout(passOn, waitOfAll([...changed.values()]))
    },
    /** Resolves when there are no changes to pass on. */
    async settled() {
      if (timer === undefined) return
      await new Promise<void>((resume) => waiting.push(resume))
    },
    close() {
      clearTimeout(timer)
      timer = undefined
      changed.clear()
      settle()
    },
  }
}

/** Returns the kind of two changes of a file, one after the other. */
function joinKinds(first: ChangeKind | undefined, second: ChangeKind): ChangeKind {
  // A file that is replaced is removed and added.
  if (first === 'unlink' && second === 'add') return 'change'
  // Many programs create an empty file just before they write it.
  if (first === 'add' && second === 'change') return 'add'
  return second
}

function waitOfAll(changes: readonly Change[]): number {
  const longest = Math.max(...changes.map(waitOf))
  return changes.length > 1 && longest >= DEBOUNCE_MS ? Math.max(longest, SEVERAL_MS) : longest
}

function waitOf({ kind, isUrgent, isEmpty }: Change): number {
  if (kind === 'unlink' || isEmpty) return GONE_MS
  return isUrgent ? URGENT_MS : DEBOUNCE_MS
}

export interface UpdateLoopInput {
  /** Must not reject. */
  apply(changes: readonly Change[]): Promise<void>
  /** Called when there has been no change for a while. A change does not wait for it. Must not reject. */
  rest(): Promise<void>
}

/** How long after the last change `rest` is called. */
const REST_MS = 300

export function createUpdateLoop({ apply, rest }: UpdateLoopInput) {
  let waiting: Change[] = []
  let running: Promise<void> | null = null
  let resting = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  async function run() {
    try {
      while (waiting.length > 0 && !isClosed) {
        const changes = waiting
        waiting = []
        await apply(changes)
      }
    } finally {
      running = null
    }
    if (isClosed) return
    timer = setTimeout(() => {
      resting = resting.then(rest)
    }, REST_MS)
  }

  return {
    add(changes: readonly Change[]) {
      clearTimeout(timer)
      waiting.push(...changes)
      running ??= run()
    },
    /** Resolves when all changes have been applied. */
    async settled() {
      while (running) await running
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await running
      await resting
    },
  }
}
