import { isDeepStrictEqual } from 'node:util'

/**
 * Returns the inputs of a table that do not give what is expected of them, with what came and what was expected, so that
 * one assertion names them all. The inputs run one after the other. A thrown value counts as what came. A table without
 * inputs is an error.
 *
 *     t.strictSame(await findFailing(names, parseName, (name) => [name]), [])
 *
 * @param expectedOf by default, nothing is expected: `resultOf` returns what is wrong
 */
export async function findFailing<Input>(
  inputs: Iterable<Input>,
  resultOf: (input: Input) => unknown,
  expectedOf: (input: Input) => unknown = () => undefined,
) {
  const failing: { input: Input; came: unknown; expected: unknown }[] = []
  let count = 0
  for (const input of inputs) {
    count++
    const came = await Promise.resolve(input)
      .then(resultOf)
      .catch((thrown: unknown) => thrown)
    const expected = expectedOf(input)
    if (!isDeepStrictEqual(came, expected)) failing.push({ input, came, expected })
  }
  if (count === 0) throw new Error('the table has no inputs')
  return failing
}
