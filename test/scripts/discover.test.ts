import t from 'tap'
import { discoverSite } from '../../scripts/build/discover/discover-site.ts'
import { parseSegment } from '../../scripts/build/discover/page-files.ts'

function discover(pages: string[], { root = [], publicFiles = [] }: { root?: string[]; publicFiles?: string[] } = {}) {
  const { site, problems } = discoverSite({ root, pages: pages.sort(), publicFiles })
  return { site, problems: problems.map(({ code, location }) => `${code} ${location?.file ?? ''}`) }
}

t.test('gives each page its URL', async (t) => {
  const { site, problems } = discover([
    'index.tsx',
    'about.jsx',
    'products/index.tsx',
    'products/[id].tsx',
    'docs/[...path].tsx',
    '(shop)/cart.tsx',
    'users/[user]/posts/[post].tsx',
    'robots.txt.tsx',
  ])
  t.same(problems, [])
  t.strictSame(
    site.routes.map(({ id, url, page, catchAll }) => [id, url, page, catchAll]),
    [
      ['/', '/', 'pages/index.tsx', null],
      ['/about', '/about', 'pages/about.jsx', null],
      ['/cart', '/cart', 'pages/(shop)/cart.tsx', null],
      ['/docs/[...path]', '/docs/*', 'pages/docs/[...path].tsx', 'path'],
      ['/products', '/products', 'pages/products/index.tsx', null],
      ['/products/[id]', '/products/:id', 'pages/products/[id].tsx', null],
      ['/robots.txt', '/robots.txt', 'pages/robots.txt.tsx', null],
      ['/users/[user]/posts/[post]', '/users/:user/posts/:post', 'pages/users/[user]/posts/[post].tsx', null],
    ],
  )
})

t.test(
  'accepts only .tsx, .jsx and .mdx files as pages, and ignores names with an initial underscore or dot',
  async (t) => {
    const { site, problems } = discover([
      'index.tsx',
      'prices.ts',
      'format.js',
      'types.d.ts',
      'index.module.css',
      'hero.png',
      '_card.tsx',
      '_parts/list.tsx',
      '.draft.tsx',
      'docs/_parts/deep/nav.server.ts',
      'docs/intro.mdx',
      'docs/intro.server.ts',
      'docs/layout.mdx',
      'docs/notes.md',
      'docs/_draft.mdx',
    ])
    t.same(problems, [])
    t.strictSame(
      site.components.map(({ file, kind }) => `${kind} ${file}`),
      ['page pages/docs/intro.mdx', 'layout pages/docs/layout.mdx', 'page pages/index.tsx'],
    )
    t.strictSame(site.serverFiles, [{ file: 'pages/docs/intro.server.ts', kind: 'page' }])
  },
)

t.test('surrounds a page with the layouts, error and not-found pages of its folders', async (t) => {
  const { site } = discover([
    'layout.tsx',
    'error.tsx',
    'not-found.tsx',
    'index.tsx',
    'products/layout.tsx',
    'products/[id]/error.tsx',
    'products/[id]/index.tsx',
    'products/[id]/reviews/layout.tsx',
    'products/[id]/reviews/not-found.tsx',
    'products/[id]/reviews/index.tsx',
  ])
  t.strictSame(
    site.routes.map(({ id, layouts, errors, notFounds }) => ({ id, layouts, errors, notFounds })),
    [
      {
        id: '/',
        layouts: ['pages/layout.tsx'],
        errors: [{ file: 'pages/error.tsx', level: 1 }],
        notFounds: [{ file: 'pages/not-found.tsx', level: 1 }],
      },
      {
        id: '/products/[id]',
        layouts: ['pages/layout.tsx', 'pages/products/layout.tsx'],
        errors: [
          { file: 'pages/error.tsx', level: 1 },
          { file: 'pages/products/[id]/error.tsx', level: 2 },
        ],
        notFounds: [{ file: 'pages/not-found.tsx', level: 1 }],
      },
      {
        id: '/products/[id]/reviews',
        layouts: ['pages/layout.tsx', 'pages/products/layout.tsx', 'pages/products/[id]/reviews/layout.tsx'],
        errors: [
          { file: 'pages/error.tsx', level: 1 },
          { file: 'pages/products/[id]/error.tsx', level: 2 },
        ],
        notFounds: [
          { file: 'pages/not-found.tsx', level: 1 },
          { file: 'pages/products/[id]/reviews/not-found.tsx', level: 3 },
        ],
      },
    ],
  )
})

t.test('counts the built-in root layout as level 1', async (t) => {
  const { site } = discover(['(shop)/layout.tsx', '(shop)/error.tsx', '(shop)/index.tsx', 'not-found.tsx'])
  t.strictSame(site.root, { layouts: [], errors: [], notFounds: [{ file: 'pages/not-found.tsx', level: 1 }] })
  t.match(site.routes, [
    { id: '/', layouts: ['pages/(shop)/layout.tsx'], errors: [{ file: 'pages/(shop)/error.tsx', level: 2 }] },
  ])
})

t.test('finds server files next to pages and layouts, the server plugin and the configuration', async (t) => {
  const { site, problems } = discover(
    ['layout.tsx', 'layout.server.ts', '[id].tsx', '[id].server.tsx', 'about.tsx', 'about.server.js'],
    { root: ['server.ts', 'hydrant.config.js', 'README.md'] },
  )
  t.same(problems, [])
  t.strictSame(site.serverFiles, [
    { file: 'pages/[id].server.tsx', kind: 'page' },
    { file: 'pages/about.server.js', kind: 'page' },
    { file: 'pages/layout.server.ts', kind: 'layout' },
  ])
  t.equal(site.serverPlugin, 'server.ts')
  t.equal(site.config, 'hydrant.config.js')
})

t.test('refuses two files for one purpose', async (t) => {
  t.same(discover(['about.tsx', 'about/index.tsx']).problems, ['HYD_BUILD_URL_TAKEN pages/about/index.tsx'])
  t.same(discover(['(a)/index.tsx', '(b)/index.tsx']).problems, ['HYD_BUILD_URL_TAKEN pages/(b)/index.tsx'])
  t.same(discover(['[a].tsx', '[b].tsx']).problems, ['HYD_BUILD_URL_TAKEN pages/[b].tsx'])
  t.same(discover(['[...a].tsx', '[...b].tsx']).problems, ['HYD_BUILD_URL_TAKEN pages/[...b].tsx'])
  t.same(discover(['layout.jsx', 'layout.tsx']).problems, ['HYD_BUILD_FILE_TWICE pages/layout.tsx'])
  t.same(discover(['a.tsx', 'a.server.ts', 'a.server.js']).problems, ['HYD_BUILD_FILE_TWICE pages/a.server.ts'])
  t.same(discover([], { root: ['server.js', 'server.ts'] }).problems, ['HYD_BUILD_FILE_TWICE server.js'])
  t.same(discover(['about.tsx'], { publicFiles: ['about', 'about.txt'] }).problems, [
    'HYD_BUILD_URL_TAKEN public/about',
  ])
})

t.test('accepts a parameter, a catch-all and static names side by side', async (t) => {
  t.same(discover(['a/[x].tsx', 'a/[...rest].tsx', 'a/new.tsx', 'a/index.tsx']).problems, [])
})

t.test('refuses names that no URL can have, once per folder', async (t) => {
  t.same(discover(['[id/a.tsx', '[id/b.tsx']).problems, ['HYD_BUILD_SEGMENT pages/[id'])
  t.same(discover(['[...a]/b.tsx']).problems, ['HYD_BUILD_SEGMENT pages/[...a]'])
  t.same(discover(['[...a]/index.tsx', '[...b]/(g)/index.tsx']).problems, [
    'HYD_BUILD_URL_TAKEN pages/[...b]/(g)/index.tsx',
  ])
  t.same(discover(['[id]/x/[id].tsx']).problems, ['HYD_BUILD_PARAM_TWICE pages/[id]/x/[id].tsx'])
  t.same(discover(['a%b.tsx']).problems, ['HYD_BUILD_SEGMENT pages/a%b.tsx'])
})

t.test('reserves the paths that are Hydrant’s own', async (t) => {
  t.same(discover(['_hydrant/live.tsx']).problems, ['HYD_BUILD_RESERVED pages/_hydrant/live.tsx'])
  t.same(discover(['(g)/_hydrant.tsx']).problems, ['HYD_BUILD_RESERVED pages/(g)/_hydrant.tsx'])
  t.same(discover(['docs/_hydrant/live.tsx']).problems, [])
  t.same(discover([], { publicFiles: ['_hydrant/a.txt', '_hydrants.txt'] }).problems, [
    'HYD_BUILD_RESERVED public/_hydrant/a.txt',
  ])
})

t.test('refuses public files whose route would match other URLs or none', async (t) => {
  const refused = ['*', ':a', 'a/b:c/d.txt', 'a?.txt', 'a#.txt', 'a\\b.txt']
  t.same(
    discover([], { publicFiles: refused }).problems,
    refused.map((path) => `HYD_BUILD_PUBLIC_NAME public/${path}`),
  )
  const accepted = ['a b.txt', 'a(1).txt', 'a[1].txt', 'a%41.txt', 'ö.txt', 'a@2x.png', 'a;b.txt', '~a!$&+,=.txt']
  t.same(discover([], { publicFiles: accepted }).problems, [])
})

t.test('reports a file with a page’s name but another extension, and a server file without a page', async (t) => {
  t.same(discover(['index.js', 'a/layout.ts', 'b.server.mdx']).problems, [
    'HYD_BUILD_EXTENSION pages/a/layout.ts',
    'HYD_BUILD_EXTENSION pages/b.server.mdx',
    'HYD_BUILD_EXTENSION pages/index.js',
  ])
  t.same(discover(['error.tsx', 'error.server.ts', 'db.server.ts']).problems, [
    'HYD_BUILD_SERVER_ORPHAN pages/db.server.ts',
    'HYD_BUILD_SERVER_ORPHAN pages/error.server.ts',
  ])
})

t.test('a server file without a page is told to create it, or the name of a page without a server file', async (t) => {
  const orphans = (paths: string[]) =>
    discoverSite({ pages: paths, publicFiles: [], root: [] }).problems.map(({ message, fix }) => [
      /(?<=; did you mean ).*(?=\?)/.exec(message)?.[0] ?? null,
      /(?<=^Create )[^,]*/.exec(fix)?.[0],
    ])
  const shop = ['about.tsx', 'hours.tsx', 'sign-in.tsx', 'sign-in.server.ts', 'prices.tsx']
  t.strictSame(orphans([...shop, 'tasting.server.ts']), [[null, 'pages/tasting.tsx']])
  t.strictSame(orphans([...shop, 'thanks.server.ts']), [[null, 'pages/thanks.tsx']])
  t.strictSame(orphans([...shop, 'sign-on.server.ts']), [[null, 'pages/sign-on.tsx']], 'sign-in has a server file')
  t.strictSame(orphans(['index.tsx', 'layout.tsx', 'about.server.ts']), [[null, 'pages/about.tsx']], 'no layout')
  t.strictSame(orphans([...shop, 'price.server.ts']), [['pages/prices.server.ts', 'pages/price.tsx']])
  t.strictSame(orphans(['teas/index.tsx', 'teas/[id].server.js']), [[null, 'pages/teas/[id].jsx']])
  t.strictSame(orphans(['a.tsx', 'db.server.ts']), [[null, 'pages/db.tsx']], 'short names are similar by chance')
})

t.test('reads one segment', async (t) => {
  t.strictSame(parseSegment('about'), { kind: 'static', text: 'about' })
  t.strictSame(parseSegment('v1.2_~-'), { kind: 'static', text: 'v1.2_~-' })
  for (const text of ['日本', 'a b', '"', 'naïve']) {
    t.strictSame(parseSegment(text), { kind: 'static', text })
    t.strictSame(parseSegment(text.normalize('NFD')), { kind: 'static', text }, 'composed')
  }
  t.strictSame(parseSegment('[id]'), { kind: 'param', name: 'id' })
  t.strictSame(parseSegment('[größe]'), { kind: 'param', name: 'größe' })
  t.strictSame(parseSegment('[...rest]'), { kind: 'catchAll', name: 'rest' })
  t.strictSame(parseSegment('(shop)'), { kind: 'group' })
  const others = [
    '[id',
    'id]',
    '[]',
    '[...]',
    '[[id]]',
    '[...[id]]',
    '[a]b',
    '[1a]',
    '[a-b]',
    '()',
    '(a',
    'a:b',
    '*',
    'a%20b',
    'a?',
    '#',
    'a\\b',
    'a\nb',
    '',
  ]
  t.strictSame(
    others.filter((text) => parseSegment(text).kind !== 'bad'),
    [],
  )
})
