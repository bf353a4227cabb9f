// Fails on purpose: `run-file.test.ts` runs it.

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

t.test('an error that nobody catches', async () => {
  setTimeout(() => {
    throw new Error('no customer')
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
})

t.test('a rejection that nobody handles', async () => {
  void Promise.reject(new Error('no address'))
  await new Promise((resolve) => setTimeout(resolve, 50))
})

t.test('a test that passes', async (t) => {
  t.equal(fill({ items: 1 }), 1)
})
