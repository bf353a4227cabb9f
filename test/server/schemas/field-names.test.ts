import t from 'tap'
import { parseFieldName, writeFieldName } from '../../../src/server/schemas/form-object.ts'
import { findFailing } from '../../find-failing.ts'
import { createRandom } from '../../shared/random.ts'

t.test('reads the path in a name', async (t) => {
  const cases: [name: string, path: (string | number)[], isList?: boolean][] = [
    ['email', ['email']],
    ['address.city', ['address', 'city']],
    ['items[0].name', ['items', 0, 'name']],
    ['items[12][3]', ['items', 12, 3]],
    ['topics[]', ['topics'], true],
    ['a.0', ['a', '0']],
    ['first name', ['first name']],
  ]
  const failing = await findFailing(
    cases,
    ([name]) => parseFieldName(name),
    ([, path, isList = false]) => ({ path, isList }),
  )
  t.strictSame(failing, [])
})

t.test('a name that does not follow the syntax is one key', async (t) => {
  const names = ['', '.', 'a.', '.a', 'a..b', 'a[', 'a]', 'a[b]', 'a[-1]', '[0]', 'a[].b', 'a[0', 'a[9999999999]']
  t.strictSame(await findFailing(names, parseFieldName, (name) => ({ path: [name], isList: false })), [])
})

t.test('writes the name of any path that it has read', async (t) => {
  const random = createRandom(7)
  const paths = Array.from({ length: 2_000 }, () => {
    const path: (string | number)[] = [random.text(1 + random.below(4), 'abcé _-$')]
    for (let depth = random.below(5); depth > 0; depth--)
      path.push(random.next() < 0.5 ? random.below(100_000) : random.text(1 + random.below(4), 'xyz01'))
    return path
  })
  const failing = await findFailing(
    paths,
    (path) => parseFieldName(writeFieldName(path)),
    (path) => ({ path, isList: false }),
  )
  t.strictSame(failing, [])
})

t.test('reads any text in linear time', async (t) => {
  const parts = ['a.', 'a[', '[0]', '[]', '.', 'a', '[0].']
  const failing = parts.filter((part) => parseFieldName(part.repeat(200_000)).path.length === 0)
  t.strictSame(failing, [])
})

t.test('a name of many megabytes is one key', async (t) => {
  const failing = ['.a', '[0]', '.a]'].filter((part) => {
    const name = `a${part.repeat(8_000_000)}`
    return parseFieldName(name).path[0] !== name
  })
  t.strictSame(failing, [])
  t.equal(parseFieldName(`a${'.a'.repeat(40_000)}`).path.length, 40_001)
})
