import t from 'tap'
import { addField, joinFields, prependItem } from '../../src/shared/wire/boot.ts'

const VALUES = [null, 'a', '"}]', [], [1, [2]], {}, { '}': '{"' }, { a: { b: [{}] } }]

t.test('two objects become one object with the fields of both', async (t) => {
  t.equal(joinFields('{"a":1}', '{"b":2}'), '{"a":1,"b":2}')
  for (const value of VALUES) {
    const [first, second] = [{ first: value }, { second: [value, value] }]
    t.strictSame(JSON.parse(joinFields(JSON.stringify(first), JSON.stringify(second))), { ...first, ...second })
  }
  t.equal(joinFields('{}', '{"b":2}'), '{"b":2}')
  t.equal(joinFields('{"a":1}', '{}'), '{"a":1}')
  t.equal(joinFields('{}', '{}'), '{}')
})

t.test('an object gets another field', async (t) => {
  for (const value of VALUES) {
    const json = JSON.stringify(value)
    t.strictSame(JSON.parse(addField(JSON.stringify({ first: value }), 'data', json)), { first: value, data: value })
    t.strictSame(JSON.parse(addField('{}', 'data', json)), { data: value })
  }
})

t.test('an array gets another first item', async (t) => {
  for (const value of VALUES) {
    const json = JSON.stringify(value)
    t.strictSame(JSON.parse(prependItem('"settled"', JSON.stringify([value, 1]))), ['settled', value, 1])
    t.strictSame(JSON.parse(prependItem(json, '[]')), [value])
  }
})
