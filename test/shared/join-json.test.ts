import t from 'tap'
import { type BootPlan, bootScript, joinFields, planText, prependItem } from '../../src/shared/wire/boot.ts'

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

t.test('the boot data gets the data and the variables', async (t) => {
  const plan: BootPlan = { layouts: [], leaf: { kind: 'page', file: null }, build: '"}' }
  for (const value of VALUES) {
    const json = JSON.stringify(value)
    const document = { url: '/', params: { a: json } }
    const [, boot = ''] = /^[^=]+=\[(.*)\]$/.exec(bootScript(planText(plan), document, [json, json])) ?? []
    t.strictSame(JSON.parse(boot), { ...plan, ...document, data: [value, value] })
    const [, withEnv = ''] = /^[^=]+=\[(.*)\]$/.exec(bootScript(planText(plan), document, [], json)) ?? []
    t.strictSame(JSON.parse(withEnv), { ...plan, ...document, env: value, data: [] })
  }
})

t.test('an array gets another first item', async (t) => {
  for (const value of VALUES) {
    const json = JSON.stringify(value)
    t.strictSame(JSON.parse(prependItem('"settled"', JSON.stringify([value, 1]))), ['settled', value, 1])
    t.strictSame(JSON.parse(prependItem(json, '[]')), [value])
  }
})
