import t from 'tap'
import { requireShallow } from '../../../src/server/forms/limits.ts'

const nested = (levels: number, innermost: unknown): unknown => {
  let value = innermost
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value }
  return value
}

t.test('refuses a body with more than 500 levels, whatever is in the last one', async (t) => {
  for (const innermost of ['text', null, 1]) {
    t.doesNotThrow(() => requireShallow(nested(500, innermost)))
    t.throws(() => requireShallow(nested(501, innermost)), { statusCode: 400, message: /500 levels/ })
  }
  for (const innermost of [[], {}]) {
    t.doesNotThrow(() => requireShallow(nested(499, innermost)))
    t.throws(() => requireShallow(nested(500, innermost)), { statusCode: 400, message: /500 levels/ })
  }
  // A parser that protects its objects from the name `__proto__` gives them a prototype without one.
  const ofParser: object = Object.create(Object.create(null))
  t.throws(() => requireShallow(Object.assign(ofParser, { value: nested(500, 'text') })), {
    statusCode: 400,
    message: /500 levels/,
  })
  for (const body of [undefined, null, 'text', 7, new Date(), new FormData()])
    t.doesNotThrow(() => requireShallow(body))
})

t.test('reads the objects of a site’s parser, which may occur in many places', async (t) => {
  const cycle: { self?: unknown; list: unknown[] } = { list: [] }
  cycle.self = cycle
  cycle.list.push(cycle)
  t.doesNotThrow(() => requireShallow(cycle))
  // Each level doubles the number of paths to the innermost list.
  let doubled: unknown = []
  for (let level = 0; level < 100; level++) doubled = [doubled, doubled]
  t.doesNotThrow(() => requireShallow(doubled))
  // A list that is read again in each place would take minutes.
  const long = Array.from({ length: 200_000 }, () => 1)
  t.doesNotThrow(() => requireShallow(Array.from({ length: 200_000 }, () => long)))
})
