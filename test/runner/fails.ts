// Fails on purpose: `pool.test.ts` runs it.

import t from 'tap'

interface Basket {
  items: number
}

function fill(basket: Basket | null): number {
  if (basket === null) throw new Error('no basket')
  return basket.items
}

t.test('an assertion', async (t) => {
  const basket: Basket = { items: 1 }
  t.equal(fill(basket), 2, 'two items')
})

t.test('an error', async () => {
  fill(null)
})

t.test('a test that passes', async (t) => {
  t.equal(fill({ items: 1 }), 1)
})
