import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server.bun'
import t from 'tap'
import { NOT_FOUND } from '../../src/server/errors/classify-thrown.ts'
import type { ErrorPageProps } from '../../src/shared/page-types.ts'
import { createAppTree, type Tree, type TreeLayout } from '../../src/shared/tree/app-tree.tsx'
import { Boundary, DefaultLayout } from '../../src/shared/tree/boundary.tsx'
import { hostScript } from '../../src/shared/tree/fallback.ts'
import type { Platform } from '../../src/shared/tree/platform.ts'

const platform: Platform = {
  side: 'server',
  host: 'shop.example',
  search: '?q=1',
  nonce: 'bm9uY2U=',
  page: 0,
  hostScript,
  findDigest: () => undefined,
  reload() {},
}

function createLayout(name: string, errorPage?: string): TreeLayout {
  const Layout = ({ children, data }: { children: ReactNode; data: unknown }) => (
    <section title={`${name} ${String(data)}`}>{children}</section>
  )
  const ErrorPage = ({ status, message, host, digest }: ErrorPageProps) => (
    <output>{[errorPage, status, message, host, digest].join('|')}</output>
  )
  return { Component: Layout, css: [], ErrorPage: errorPage === undefined ? null : ErrorPage }
}

const url = new URL('https://shop.example/products/5?q=1')
const render = (tree: Pick<Tree, 'layouts' | 'leaf'>, data: unknown[] = []) =>
  renderToStaticMarkup(createAppTree({ ...tree, data, params: { id: '5' }, address: { url } }, platform))

t.test('layouts surround the page, outermost first, each with its data', async (t) => {
  const html = render(
    {
      layouts: [createLayout('outer'), createLayout('inner')],
      leaf: {
        kind: 'page',
        css: [],
        Component: ({ data, params, url }) => <p>{[data, params.id, url.search].join(' ')}</p>,
      },
    },
    ['data of outer', 'data of inner', 'page data'],
  )
  t.equal(
    html,
    '<section title="outer data of outer"><section title="inner data of inner"><p>page data 5 ?q=1</p></section></section>',
  )
})

t.test('a failure replaces the page', async (t) => {
  const shown = { kind: 'failure', side: 'server', status: 500, digest: '7K3M9QZD-0F4XTB' } as const
  const tree: Tree['layouts'] = [createLayout('outer')]
  const html = render({ layouts: tree, leaf: { kind: 'shown', css: [], shown, Component: null } }, ['data of outer'])
  t.match(html, '<section title="outer data of outer">')
  t.match(html, '<title>Application error</title>')
  t.match(html, '<meta name="robots" content="noindex"/>')
  t.match(html, 'while loading shop.example (see the server logs')
  t.match(html, 'Digest: 7K3M9QZD-0F4XTB')
  t.match(html, 'role="alert"')
  t.match(html, '<input type="hidden" name="q" value="1">')
  t.match(html, '<script nonce="bm9uY2U=">')
})

t.test('the site’s own page shows a failure and contains only what a visitor may know', async (t) => {
  const layout = createLayout('outer', 'own')
  const shown = { kind: 'failure', side: 'server', status: 504, digest: '7K3M9QZD-0F4XTB' } as const
  const html = render({ layouts: [layout], leaf: { kind: 'shown', css: [], shown, Component: layout.ErrorPage } })
  t.match(
    html,
    '<output>own|504|Application error: a server-side exception has occurred while loading shop.example (see the server logs for more information).|shop.example|7K3M9QZD-0F4XTB</output>',
  )
  t.match(html, '<meta name="robots" content="noindex"/>')
  const refused = render({
    layouts: [layout],
    leaf: {
      kind: 'shown',
      css: [],
      shown: { kind: 'refusal', status: 403, message: '<b>Members</b>' },
      Component: layout.ErrorPage,
    },
  })
  t.match(refused, '<output>own|403|&lt;b&gt;Members&lt;/b&gt;|shop.example|</output>')
})

t.test('the 404 page is not indexed', async (t) => {
  const html = render({
    layouts: [createLayout('outer')],
    leaf: { kind: 'notFound', css: [], Component: ({ url }) => <p>{url.pathname}</p> },
  })
  t.match(html, '<meta name="robots" content="noindex"/>')
  t.match(html, '<p>/products/5</p>')
  const plain = render({
    layouts: [createLayout('outer')],
    leaf: { kind: 'shown', css: [], shown: NOT_FOUND, Component: null },
  })
  t.match(plain, '404 This page could not be found.')
  t.notMatch(plain, 'Try again')
})

t.test('stylesheets are named once, outermost first', async (t) => {
  const html = render({
    layouts: [{ ...createLayout('outer'), Component: DefaultLayout, css: ['/a.css', '/b.css'] }],
    leaf: { kind: 'page', css: ['/b.css', '/c.css'], Component: () => <p>page</p> },
  })
  t.strictSame(
    [...html.matchAll(/<link rel="stylesheet" href="([^"]*)"/g)].map(([, href]) => href),
    ['/a.css', '/b.css', '/c.css'],
  )
  t.match(html, /^<html lang="en"><head><meta charSet="utf-8"\/>/)
  t.match(html, '<body><p>page</p></body></html>')
})

t.test('the boundary has an explicit constructor, without which Safari reports no position for it', async (t) => {
  t.match(String(Boundary), 'constructor(')
})
