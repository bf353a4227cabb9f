// The driver of SQLite aborts the process if its thread is stopped while it runs a statement: the C++ exception that it
// throws cannot be passed to JavaScript. So a process that exits waits until the thread is idle, and keeps it idle.

const IDLE = 0
const BUSY = 1
const EXITING = 2

/** The longest that an exit waits. SQLite waits up to two seconds for another process's lock. */
const MAX_WAIT_MS = 3_000

/** The state of a thread, shared with it. */
export type ExitGate = Int32Array<SharedArrayBuffer>

export function createExitGate(): ExitGate {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
}

/** Blocks the process that exits while its thread is busy. Afterwards the thread starts no further work. */
export function shutGate(gate: ExitGate) {
  const end = Date.now() + MAX_WAIT_MS
  while (Atomics.compareExchange(gate, 0, IDLE, EXITING) === BUSY && Date.now() < end)
    Atomics.wait(gate, 0, BUSY, end - Date.now())
}

/** Marks the thread as busy. Returns false if its process exits. */
export function enterGate(gate: ExitGate): boolean {
  return Atomics.compareExchange(gate, 0, IDLE, BUSY) !== EXITING
}

/** Marks the thread as idle. */
export function leaveGate(gate: ExitGate) {
  Atomics.store(gate, 0, IDLE)
  Atomics.notify(gate, 0)
}
