import t from 'tap'
import { type BootPlan, bootFields, bootScript, planFields, prependItem } from '../../src/shared/wire/boot.ts'

const VALUES = [null, 'a', '"}]', [], [1, [2]], {}, { '}': '{"' }, { a: { b: [{}] } }]

t.test('the fields of the plan and of the document become one object, with the data and the variables', async (t) => {
  const plan: BootPlan = { layouts: [], leaf: { kind: 'page', file: null }, build: '"}' }
  for (const value of VALUES) {
    const json = JSON.stringify(value)
    const document = { url: '/', params: { a: json } }
    t.strictSame(JSON.parse(`{${bootFields(planFields(plan), document)}}`), { ...document, ...plan })
    const [, boot = ''] = /^[^=]+=\[(.*)\]$/.exec(bootScript(planFields(plan), document, [json, json])) ?? []
    t.strictSame(JSON.parse(boot), { ...plan, ...document, data: [value, value] })
    const [, withEnv = ''] = /^[^=]+=\[(.*)\]$/.exec(bootScript(planFields(plan), document, [], json)) ?? []
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
