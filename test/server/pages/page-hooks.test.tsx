// `useUrl`, `useParams` and `useLayoutData` on the server, and in tests of components.

import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import t from 'tap'
import { z } from 'zod'
import { createPageWrapper } from '../../../scripts/testing/index.ts'
import { errorTable } from '../../../src/server/errors/error-table.ts'
import { HttpError, notFound } from '../../../src/server/index.ts'
import { FailureBoundary, useLayoutData, useParams, useUrl } from '../../../src/shared/react.ts'
import { testSite } from '../../test-site.ts'

/** Shows what each hook returns, or the code and the message of what it throws. */
function Values({ page = '/shop/[id]' }: { page?: `/${string}` }) {
  const read = [
    () => useUrl().href,
    () => useParams(page),
    () => useLayoutData('/(shop)/shop'),
    () => useLayoutData('/'),
  ]
  return <pre>{JSON.stringify(read.map(attempt))}</pre>
}

function attempt(read: () => unknown): unknown {
  try {
    return read() ?? 'nothing'
  } catch (thrown) {
    const { name, code, message, fix } = thrown as {
      name: string
      code: keyof typeof errorTable
      message: string
      fix: string
    }
    return { name, code, message, isFix: fix === errorTable[code].fix }
  }
}

const Around = ({ children }: { children: ReactNode }) => (
  <section>
    <Values />
    {children}
  </section>
)

const site = await testSite(t, {
  '/layout': {
    load: () => ({ name: 'root' }),
    Component: ({ children }: { children: ReactNode }) => (
      <html lang="en">
        <body>
          <Values />
          {children}
        </body>
      </html>
    ),
  },
  '/error': () => <Values />,
  '/not-found': () => <Values />,
  '/(shop)/shop/layout': { load: () => ({ name: 'shop' }), Component: Around },
  '/(shop)/shop/[id]': {
    load({ params }: { params: { id: string } }) {
      if (params.id === 'gone') notFound()
      if (params.id === 'closed') throw new HttpError(403, 'Closed.')
      return { later: Promise.resolve('later') }
    },
    Component: () => (
      <FailureBoundary>
        <Values />
      </FailureBoundary>
    ),
  },
  '/number/[n]': {
    params: z.object({ n: z.coerce.number() }),
    Component: () => <Values page="/number/[n]" />,
  },
})

const ORIGIN = 'http://localhost'
const shown = async (path: string) =>
  [...(await site.get(path)).body.matchAll(/<pre>(.*?)<\/pre>/g)].map(([, text = '']) =>
    JSON.parse(text.replaceAll('&quot;', '"')),
  )
const outside = (call: string, place: string) => ({
  name: 'HydrantError',
  code: 'HYD_HOOK_PLACE',
  message: `${call} is called outside of ${place}`,
  isFix: true,
})
const NO_SHOP = outside('useLayoutData("/(shop)/shop")', 'that layout')
const NO_PARAMS = outside('useParams("/shop/[id]")', 'that page')

t.test('a page and its layouts read the address, the parameters and the data around them', async (t) => {
  const url = `${ORIGIN}/shop/a%2Fb?q=1`
  t.strictSame(await shown('/shop/a%2Fb?q=1'), [
    [url, { id: 'a/b' }, NO_SHOP, { name: 'root' }],
    [url, { id: 'a/b' }, { name: 'shop' }, { name: 'root' }],
    [url, { id: 'a/b' }, { name: 'shop' }, { name: 'root' }],
  ])
})

t.test('the parameters are the output of the schema', async (t) => {
  t.strictSame((await shown('/number/7'))[1], [`${ORIGIN}/number/7`, { n: 7 }, NO_SHOP, { name: 'root' }])
})

t.test('error pages have the address and the data, but are not the page', async (t) => {
  for (const path of ['/shop/gone', '/shop/closed'])
    t.strictSame((await shown(path)).at(-1), [ORIGIN + path, NO_PARAMS, { name: 'shop' }, { name: 'root' }], path)
  t.strictSame(await shown('/nowhere'), new Array(2).fill([`${ORIGIN}/nowhere`, NO_PARAMS, NO_SHOP, { name: 'root' }]))
})

t.test('a test of a component gives it the values', async (t) => {
  const render = async (...values: Parameters<typeof createPageWrapper>) => {
    const Wrapper = await createPageWrapper(...values)
    const html = renderToStaticMarkup(
      <Wrapper>
        <Values />
      </Wrapper>,
    )
    return JSON.parse(html.replace(/<.*?>/g, '').replaceAll('&quot;', '"'))
  }
  t.strictSame(await render(), ['http://localhost/', NO_PARAMS, NO_SHOP, outside('useLayoutData("/")', 'that layout')])
  const layouts = { '/': undefined, '/(shop)/shop': { name: 'test' } }
  t.strictSame(await render({ url: '/shop/1', route: '/shop/[id]', params: { id: '1' }, layouts }), [
    'http://localhost/shop/1',
    { id: '1' },
    { name: 'test' },
    'nothing',
  ])
})

t.test('without a page, the error names the hook', (t) => {
  const [url] = JSON.parse(
    renderToStaticMarkup(<Values />)
      .replace(/<.*?>/g, '')
      .replaceAll('&quot;', '"'),
  )
  t.strictSame(url, outside('useUrl()', 'a page'))
  t.equal(errorTable.HYD_HOOK_PLACE.message, '%s is called outside of %s')
  t.end()
})
