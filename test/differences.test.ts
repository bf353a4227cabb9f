import t from 'tap'
import { findDifferences } from './differences.ts'

t.test('names each input that differs, and what an exception says', async (t) => {
  const differences = await findDifferences([1, 2, 3], String, (checks, input) => {
    if (input === 3) throw new Error('three')
    checks.equal([input], [1], 'value')
    checks.match(`${input} and more`, '1 and', 'text')
    checks.match(input === 1 ? 'some' : undefined, /e/, 'any text')
    checks.lacks(String(input), /2/, 'digit')
  })
  t.match(differences, { 3: { 'an exception': { thrown: { message: 'three' } } } })
  t.strictSame(Object.keys(differences), ['2', '3'])
  t.strictSame(differences[2], {
    value: { found: [2], expected: [1] },
    text: { found: '2 and more', expected: '1 and' },
    'any text': { found: undefined, expected: /e/ },
    digit: { found: '2', unexpected: /2/ },
  })
})

t.test('checks inputs that are added meanwhile', async (t) => {
  const inputs = [1]
  const seen: number[] = []
  const differences = await findDifferences(inputs, String, (checks, input) => {
    if (input === 1) inputs.push(2)
    seen.push(input)
    checks.equal(input, input, 'value')
  })
  t.strictSame([differences, seen], [{}, [1, 2]])
})

t.test('rejects when there is nothing to check, or two inputs have one name', async (t) => {
  const find = (inputs: number[], check = () => {}) => findDifferences(inputs, String, check)
  await t.rejects(find([]), { message: 'there are no inputs' })
  await t.rejects(find([1]), { message: 'nothing of 1 was checked' })
  await t.rejects(
    findDifferences([1, 1], String, (checks) => checks.equal(1, 1, 'value')),
    { message: 'two inputs are 1' },
  )
})
