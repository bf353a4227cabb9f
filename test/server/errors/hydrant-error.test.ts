import t from 'tap'
import { showValue } from '../../../src/server/errors/hydrant-error.ts'

t.test('a value is formatted as it would be written in code', async (t) => {
  t.equal(showValue('60'), '"60"')
  t.equal(showValue([7, 'a']), '[7, "a"]')
  t.equal(showValue([['a']]), '[[…]]')
  t.equal(showValue(undefined), 'undefined')
  t.equal(showValue(new Error('no')), 'Error: no')
})

t.test('properties of objects are not shown, because they may be secrets', async (t) => {
  t.equal(showValue({ password: 'hunter2' }), '{…}')
  t.equal(showValue([{ password: 'hunter2' }]), '[{…}]')
})

t.test('a long value is cut', async (t) => {
  const text = showValue(Array(100).fill('abc'))
  t.equal(text.length, 80)
  t.ok(text.endsWith('…'))
})
