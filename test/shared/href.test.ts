import t from 'tap'
import { links } from '../../src/shared/base.ts'
import { type HrefArguments, href } from '../../src/shared/href.ts'
import type { RouteId } from '../../src/shared/routes.ts'

// The project's own site registers its routes for TypeScript. These tests need any route.
const any = (route: string, ...rest: HrefArguments<string>) => href(route as RouteId, ...(rest as []))

t.test('puts encoded parameters into their places', async (t) => {
  t.equal(any('/'), '/')
  t.equal(any('/about'), '/about')
  t.equal(any('/日本/a b/{x}.svg'), '/%E6%97%A5%E6%9C%AC/a%20b/%7Bx%7D.svg')
  t.equal(any('/100%.svg'), '/100%25.svg')
  t.equal(any('/a%20b'), '/a%20b', 'a route that is encoded already')
  t.equal(any('/products/[id]', { id: 7 }), '/products/7')
  t.equal(any('/a/[x]/b/[y]', { x: 'ä b', y: '1/2' }), '/a/%C3%A4%20b/b/1%2F2')
  t.equal(any('/[id]', { id: '?#%&=+"<\\' }), '/%3F%23%25%26%3D%2B%22%3C%5C')
  t.equal(any('/[id]', { id: '...' }), '/...')
  t.equal(any('/[id]', { id: 0 }), '/0')
  t.equal(any('/[id]', { id: '%2e%2e' }), '/%252e%252e')
})

t.test('a catch-all keeps its slashes', async (t) => {
  t.equal(any('/docs/[...path]', { path: 'a/b c/d' }), '/docs/a/b%20c/d')
  t.equal(any('/docs/[...path]', { path: 'a//b/' }), '/docs/a//b/')
  t.equal(any('/[...path]', { path: 'a' }), '/a')
})

t.test('a value that would lead to another page or another host gives a link to none', async (t) => {
  const lost: string[] = []
  links.report = ({ message }) => void lost.push(message)
  t.teardown(() => {
    links.report = undefined
  })
  for (const [route, value] of [
    ['/t/[value]', '.'],
    ['/t/[value]', '..'],
    ['/t/[...value]', 'a/../b'],
    ['/t/[...value]', './b'],
    ['/t/[...value]', '..'],
    ['/[...value]', '/evil.example/x'],
  ])
    t.equal(any(route ?? '', { value: value ?? '' }, { search: { a: 1 } }), '/_hydrant/no-page?a=1')
  t.strictSame(lost, [
    `href('/t/[value]'): "/t/." would lead elsewhere, so the link leads to the 404 page`,
    `href('/t/[...value]'): "/t/a/../b" would lead elsewhere, so the link leads to the 404 page`,
    `href('/[...value]'): "//evil.example/x" would lead elsewhere, so the link leads to the 404 page`,
  ])
  t.equal(any('/t/[value]', { value: 'a\ud800b\u{1f600}\udc00' }), '/t/a%EF%BF%BDb%F0%9F%98%80%EF%BF%BD')
  t.equal(any('/t/[value]', { value: '\0' }), '/t/%00')
})

t.test('refuses values that are missing', async (t) => {
  for (const [route, params, message] of [
    ['/p/[id]', {}, `href('/p/[id]'): "id" is missing or empty`],
    ['/p/[id]', { id: '' }, `href('/p/[id]'): "id" is missing or empty`],
    ['/p/[...path]', { path: '' }, /"path" is missing/],
  ] as const) {
    t.throws(() => any(route, params), { name: 'TypeError', message })
  }
  t.throws(() => any('/p/[id]'), { message: /"id" is missing/ })
  t.throws(() => any('/[constructor]', {}), /"constructor"/, 'what every object has is no parameter')
})

t.test('refuses values without a text of their own', async (t) => {
  // TypeScript refuses them too.
  const others: never[] = [{ a: 1 }, ['a'], Symbol('a'), () => 1, new Date(0)] as never[]
  for (const value of others) {
    const message = /"id" must be a string or a number; got an? \w+$/
    t.throws(() => any('/p/[id]', { id: value }), { name: 'TypeError', message })
    const isGroup = value === others[0]
    if (!Array.isArray(value) && !isGroup)
      t.throws(() => any('/p', {}, { search: { id: value } }), { message: /"id" must be/ })
    t.throws(() => any('/p', {}, { search: { id: [value] } }), { message: /must be .* or a boolean; got an? \w+$/ })
  }
  t.throws(() => any('/p/[id]', { id: true as never }), { message: /got a boolean/ })
})

t.test('adds a query and a hash', async (t) => {
  t.equal(any('/s', {}, { search: { q: 'a b&c', page: 2, all: true } }), '/s?q=a+b%26c&page=2&all=true')
  t.equal(any('/s', {}, { search: { q: undefined, tag: ['a', 'b'], none: [] } }), '/s?tag=a&tag=b')
  t.equal(any('/s', {}, { search: new URLSearchParams('a=1&a=2') }), '/s?a=1&a=2')
  t.equal(any('/s', {}, { search: {} }), '/s')
  t.equal(
    any('/s', {}, { search: { price: { min: 1, max: { a: 2 } }, tag: ['a'] } }),
    '/s?price.min=1&price.max.a=2&tag=a',
  )
  t.throws(() => any('/s', {}, { search: { price: { max: new Date(0) as never } } }), {
    message: /"price.max" must be/,
  })
  t.equal(any('/s', {}, { hash: 'top' }), '/s#top')
  t.equal(any('/s', undefined, { hash: '#a b', search: { q: '' } }), '/s?q=#a%20b')
  t.equal(any('/s', {}, { hash: ':~:text=x' }), '/s#:~:text=x')
  t.equal(any('/s', {}, { hash: '' }), '/s')
  t.equal(any('/s', {}, { action: 'comment' }), '/s?/comment')
  t.equal(any('/s', {}, { action: 'a&b', search: { q: 1 }, hash: 'top' }), '/s?/a%26b&q=1#top')
})

t.test('the stack of an error begins with the code that calls it', async (t) => {
  try {
    any('/p/[id]')
  } catch (error) {
    t.match((error as Error).stack, /^TypeError: href\('\/p\/\[id\]'\): .*\n {4}at any \(/)
  }
})
