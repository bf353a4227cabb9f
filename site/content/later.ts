/** Resolves with the value after the time has passed. */
export function resolveLater<Value>(ms: number, value: Value): Promise<Value> {
  return new Promise((resolve) => setTimeout(resolve, ms, value))
}

/** Rejects with whatever `makeReason` returns after the time has passed. */
export async function rejectLater<Value = never>(ms: number, makeReason: () => unknown): Promise<Value> {
  await resolveLater(ms, null)
  throw makeReason()
}

/** Stays pending for ever. A promise of its own each time, as one for all would keep all who wait for it in memory. */
export function waitForever(): Promise<never> {
  return new Promise(() => {})
}
