import t from 'tap'
import { SmallMap } from '../../../src/server/util/small-map.ts'

t.test('holds one entry or many, with any keys', async (t) => {
  const keys = [Number.NaN, undefined, null, '', 'a', {}, Symbol('s')]
  const map = new SmallMap<unknown, number>()
  for (const key of keys) t.equal(map.get(key), undefined)
  for (const [index, key] of keys.entries()) map.set(key, index)
  for (const [index, key] of keys.entries()) t.equal(map.get(key), index)
  t.equal(map.get({}), undefined)
})

t.test('an entry replaces the entry before with the same key', async (t) => {
  const map = new SmallMap<string, number>()
  for (const value of [1, 2]) for (const key of ['a', 'b', 'c']) map.set(key, value)
  for (const key of ['a', 'b', 'c']) t.equal(map.get(key), 2)
})
