// Many inputs, one assertion: `t.strictSame(await findDifferences(inputs, nameOf, check), {})`.

import { isDeepStrictEqual } from 'node:util'

/** Compares what was found of an input with what is expected. `name` says what it is. */
export interface Checks {
  /** Expects this value, or an array or object that is equal in depth. */
  equal(found: unknown, expected: unknown, name: string): void
  /** Expects a text that contains this one, or matches. */
  match(found: unknown, expected: string | RegExp, name: string): void
  lacks(found: unknown, unexpected: string | RegExp, name: string): void
}

type Difference =
  | { found: unknown; expected: unknown }
  | { found: unknown; unexpected: string | RegExp }
  | { thrown: unknown }

/**
 * Checks each input, also those that are added meanwhile. Returns what differs: by the input, then by the check. What
 * a check throws is a difference of its input. Throws if there are no inputs, or if two have one name.
 */
export async function findDifferences<Input>(
  inputs: readonly Input[],
  nameOf: (input: Input) => string,
  check: (checks: Checks, input: Input, index: number) => void | Promise<void>,
): Promise<Record<string, Record<string, Difference>>> {
  if (inputs.length === 0) throw new Error('there are no inputs')
  const names = new Set<string>()
  const all: Record<string, Record<string, Difference>> = {}
  for (const [index, input] of inputs.entries()) {
    const name = nameOf(input)
    if (names.has(name)) throw new Error(`two inputs are ${name}`)
    names.add(name)
    const differences: Record<string, Difference> = {}
    let count = 0
    const compare = (check: string, isEqual: boolean, difference: Difference) => {
      count++
      if (!isEqual) differences[check in differences ? `${check} (${count})` : check] = difference
    }
    const checks: Checks = {
      equal: (found, expected, name) => compare(name, isDeepStrictEqual(found, expected), { found, expected }),
      match: (found, expected, name) => compare(name, contains(found, expected), { found, expected }),
      lacks: (found, unexpected, name) => compare(name, !contains(found, unexpected), { found, unexpected }),
    }
    try {
      await check(checks, input, index)
    } catch (thrown) {
      compare('an exception', false, { thrown })
    }
    if (count === 0) throw new Error(`nothing of ${name} was checked`)
    if (Object.keys(differences).length > 0) all[name] = differences
  }
  return all
}

function contains(found: unknown, part: string | RegExp): boolean {
  if (typeof found !== 'string') return false
  return typeof part === 'string' ? found.includes(part) : part.test(found)
}
