/** Resolves with `value` after `ms` milliseconds. */
export function resolveLater<Value>(ms: number, value: Value): Promise<Value> {
  return new Promise((resolve) => setTimeout(resolve, ms, value))
}

/** Rejects with the result of `makeReason` after `ms` milliseconds. */
export async function rejectLater<Value = never>(ms: number, makeReason: () => unknown): Promise<Value> {
  await resolveLater(ms, null)
  throw makeReason()
}

/** Returns a new promise that never settles. A shared promise would keep all its listeners in memory. */
export function waitForever(): Promise<never> {
  return new Promise(() => {})
}
