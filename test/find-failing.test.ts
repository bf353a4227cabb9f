import t from 'tap'
import { findFailing } from './find-failing.ts'

t.test('returns the inputs that differ, with what came and what was expected', async (t) => {
  const failing = await findFailing(
    [1, 2, 3],
    async (input) => ({ double: input * 2 }),
    (input) => ({ double: input === 2 ? 5 : input * 2 }),
  )
  t.strictSame(failing, [{ input: 2, came: { double: 4 }, expected: { double: 5 } }])
  t.strictSame(await findFailing(['a', 'b'], (text) => (text === 'b' ? 'wrong' : undefined)), [
    { input: 'b', came: 'wrong', expected: undefined },
  ])
})

t.test('goes on after an input that throws', async (t) => {
  const error = new Error('it broke')
  const failing = await findFailing([1, 2], (input) => {
    if (input === 1) throw error
  })
  t.strictSame(failing, [{ input: 1, came: error, expected: undefined }])
})

t.test('a table without inputs is an error', async (t) => {
  await t.rejects(
    findFailing([], () => undefined),
    { message: 'the table has no inputs' },
  )
})
