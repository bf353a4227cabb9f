import t from 'tap'
import { matchRoute } from '../../../src/server/site/record-report.ts'
import { findFailing } from '../../find-failing.ts'

const routes = [
  '/',
  '/docs/*',
  '/products/:id',
  '/products/new',
  '/:shop/new',
  '/products/:id/parts',
  '/日本/:id',
  '/a b',
].map((url) => ({
  url,
}))
const find = (path: string) => matchRoute(path, routes)?.url ?? null

t.test('finds the same route for a path as the router', async (t) => {
  const cases: [string, string | null][] = [
    ['/', '/'],
    ['/products/new', '/products/new'],
    ['/products/5', '/products/:id'],
    ['/products/5/parts', '/products/:id/parts'],
    ['/other/new', '/:shop/new'],
    ['/docs/a/b', '/docs/*'],
    ['/docs', null],
    ['/products/', null],
    ['/%E6%97%A5%E6%9C%AC/7', '/日本/:id'],
    ['/a%20b', '/a b'],
    ['/products/%', '/products/:id'],
    ['/none', null],
    ['', null],
  ]
  const failing = await findFailing(
    cases,
    ([path]) => find(path),
    ([, url]) => url,
  )
  t.strictSame(failing, [])
})
