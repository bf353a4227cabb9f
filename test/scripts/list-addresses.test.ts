import t from 'tap'
import { listAddresses } from '../../scripts/build/prerender/render-site.ts'

const list = (id: string, items: unknown, base = '/') =>
  listAddresses(id, { file: 'a.server.ts', list: () => items }, base)

t.test('a page without parameters has one address', async (t) => {
  t.strictSame(await listAddresses('/about', { file: 'a.tsx', list: null }, '/'), { paths: ['/about'] })
  t.strictSame(await listAddresses('/a b/日本', { file: 'a.tsx', list: null }, '/'), {
    paths: ['/a%20b/%E6%97%A5%E6%9C%AC'],
  })
})

t.test('addresses are written as a browser sends them, sorted, each once', async (t) => {
  const items = ['/news/ü', { params: { id: 'a/b' } }, { params: { id: 10 } }, '/news/10', '/news/./9']
  t.strictSame(await list('/news/[id]', items), { paths: ['/news/%C3%BC', '/news/10', '/news/9', '/news/a%2Fb'] })
  t.strictSame(await list('/docs/[...path]', [{ params: { path: 'a/b c' } }]), { paths: ['/docs/a/b%20c'] })
  t.strictSame(await list('/news/[id]', Promise.resolve([])), { paths: [] })
})

t.test('a function that does not return is a problem', async (t) => {
  const never = { file: 'a.server.ts', list: () => new Promise(() => {}) }
  t.strictSame(await listAddresses('/news/[id]', never, '/', 20), {
    problem: 'the function has not returned within 0.02 s',
  })
})

t.test('the base is removed', async (t) => {
  t.strictSame(await list('/news/[id]', ['/shop/news/1', '/news/2', '/shopping'], '/shop'), {
    paths: ['/news/1', '/news/2', '/shopping'],
  })
})

t.test('params that no URL can have are a problem', async (t) => {
  for (const id of ['..', 'a/.'])
    t.match(await list('/news/[id]', [{ params: { id } }]), {
      problem: `no URL of the page can have the params {"id":"${id}"}`,
    })
})

for (const item of ['news/1', '//a.example/', '/news/1?a', '/news/1#a', '/\\a', 7, null, {}, { params: { id: '' } }])
  t.test(`${JSON.stringify(item)} is no address`, async (t) => {
    t.match(await list('/news/[id]', [item]), { problem: /address must be|missing or empty/ })
  })
