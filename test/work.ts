// Counts the steps of a piece of code instead of its time, which depends on the load of the machine.

type Method = (this: unknown, ...values: unknown[]) => unknown

const lengthOf = (value: unknown) => (typeof value === 'string' ? value.length : 0)

/** Calls with a constant cost, and calls that read a whole text. */
const COUNTED: readonly [object, readonly string[], (self: unknown, result: unknown) => number][] = [
  [Map.prototype, ['get', 'set', 'has'], () => 1],
  [Set.prototype, ['has', 'add'], () => 1],
  [String.prototype, ['charCodeAt', 'startsWith'], () => 1],
  [String.prototype, ['slice'], (_, result) => 1 + lengthOf(result)],
  [String.prototype, ['includes', 'indexOf', 'replaceAll', 'replace', 'split'], (self) => lengthOf(self)],
]

/** Returns the number of steps, counted in strings, maps, sets and patterns. */
export function countWork(run: () => unknown): number {
  const stop = startCounting()
  try {
    run()
  } finally {
    stop()
  }
  return stop()
}

/** Counts the steps of the whole process. The returned function stops counting and returns the number. */
export function startCounting(): () => number {
  let steps = 0
  const restore: (() => void)[] = []
  const wrap = (prototype: object, name: string, costOf: (self: unknown, result: unknown, from: number) => number) => {
    // The cast is safe because all names above are methods.
    const method = Reflect.get(prototype, name) as Method
    restore.push(() => void Reflect.set(prototype, name, method))
    Reflect.set(prototype, name, function (this: unknown, ...values: unknown[]) {
      const from = this instanceof RegExp ? this.lastIndex : 0
      const result = Reflect.apply(method, this, values)
      steps += costOf(this, result, from)
      return result
    })
  }
  for (const [prototype, names, costOf] of COUNTED) for (const name of names) wrap(prototype, name, costOf)
  // Returns the characters that a pattern has read: up to its next position, or almost none if it has found nothing
  // more.
  wrap(RegExp.prototype, 'exec', (self, result, from) => {
    const { lastIndex, global, sticky } = self as RegExp
    return result !== null && (global || sticky) ? 1 + lastIndex - from : 1
  })
  return () => {
    for (const undo of restore.splice(0)) undo()
    return steps
  }
}
