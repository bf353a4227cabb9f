import t from 'tap'
import { parseFieldName, writeFieldName } from '../../../src/server/schemas/field-names.ts'
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
  for (const [name, path, isList = false] of cases) t.strictSame(parseFieldName(name), { path, isList }, name)
})

t.test('a name that does not follow the syntax is one key', async (t) => {
  for (const name of ['', '.', 'a.', '.a', 'a..b', 'a[', 'a]', 'a[b]', 'a[-1]', '[0]', 'a[].b', 'a[0', 'a[9999999999]'])
    t.strictSame(parseFieldName(name), { path: [name], isList: false }, name)
})

t.test('writes the name of any path that it has read', async (t) => {
  const random = createRandom(7)
  for (let round = 0; round < 2_000; round++) {
    const path: (string | number)[] = [random.text(1 + random.below(4), 'abcé _-$')]
    for (let depth = random.below(5); depth > 0; depth--)
      path.push(random.next() < 0.5 ? random.below(100_000) : random.text(1 + random.below(4), 'xyz01'))
    const name = writeFieldName(path)
    t.strictSame(parseFieldName(name), { path, isList: false }, name)
  }
})

t.test('reads any text in linear time', async (t) => {
  for (const part of ['a.', 'a[', '[0]', '[]', '.', 'a', '[0].'])
    t.ok(parseFieldName(part.repeat(200_000)).path.length > 0, part)
})

t.test('a name of many megabytes is one key', async (t) => {
  for (const part of ['.a', '[0]', '.a]']) {
    const name = `a${part.repeat(8_000_000)}`
    t.equal(parseFieldName(name).path[0], name, part)
  }
  t.equal(parseFieldName(`a${'.a'.repeat(40_000)}`).path.length, 40_001)
})
