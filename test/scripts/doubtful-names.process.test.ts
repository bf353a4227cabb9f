// Names that have another meaning than their author expects.

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { discoverSite } from '../../scripts/build/discover/discover-site.ts'
import { formatLocation } from '../../scripts/build-problem.ts'
import { isMisspelling } from '../../src/server/util/closest-match.ts'
import { buildSharing } from '../shared-compression.ts'
import { until } from '../until.ts'
import { createSite } from './create-site.ts'
import { startCli } from './run-cli.ts'
import { runHere } from './run-here.ts'

function warningsFor(pages: string[], root: string[] = []): string[] {
  const { warnings } = discoverSite({ root, pages: pages.sort(), publicFiles: [] })
  for (const { location, fix } of warnings) t.ok(location && fix, 'each warning has a place and a fix')
  return warnings.map(({ message }) => message)
}

t.test('suggests the reserved name for a page with almost the same', async (t) => {
  for (const [file, meaning, meant] of [
    ['layuot.tsx', 'the page /layuot', 'layout.tsx'],
    ['Layout.tsx', 'the page /Layout', 'layout.tsx'],
    ['docs/lay-out.jsx', 'the page /docs/lay-out', 'docs/layout.jsx'],
    ['+layout.tsx', 'the page /+layout', 'layout.tsx'],
    ['not_found.tsx', 'the page /not_found', 'not-found.tsx'],
    ['notFound.tsx', 'the page /notFound', 'not-found.tsx'],
    ['not-fuond.tsx', 'the page /not-fuond', 'not-found.tsx'],
    ['404.tsx', 'the page /404', 'not-found.tsx'],
    ['eror.tsx', 'the page /eror', 'error.tsx'],
    ['Error.tsx', 'the page /Error', 'error.tsx'],
    ['docs/idnex.tsx', 'the page /docs/idnex', 'docs/index.tsx'],
    ['docs/page.tsx', 'the page /docs/page', 'docs/index.tsx'],
    ['docs/+Page.jsx', 'the page /docs/+Page', 'docs/index.jsx'],
    ['@team/books/@id/+Page.jsx', 'the page /@team/books/@id/+Page', '[team]/books/[id]/index.jsx'],
    ['+Layout.tsx', 'the page /+Layout', 'layout.tsx'],
    ['$id.tsx', 'the page /$id', '[id].tsx'],
    ['books/$id/edit.tsx', 'the page /books/$id/edit', 'books/[id]/edit.tsx'],
    ['teams.$id.edit.tsx', 'the page /teams.$id.edit', 'teams/[id]/edit.tsx'],
    ['products/[id]/page.tsx', 'the page /products/[id]/page', 'products/[id]/index.tsx'],
    ['docs/$.tsx', 'the page /docs/$', 'docs/[...path].tsx'],
    ['global-error.tsx', 'the page /global-error', 'error.tsx'],
  ])
    t.strictSame(warningsFor(['index.tsx', file ?? '']), [`pages/${file} is ${meaning}; did you mean pages/${meant}?`])
})

t.test('suggests .server for a file beside its page with almost that ending', async (t) => {
  t.strictSame(warningsFor(['index.tsx', 'index.sever.ts']), [
    'pages/index.sever.ts is an ordinary module; did you mean pages/index.server.ts?',
  ])
  t.strictSame(warningsFor(['index.tsx', 'layout.tsx', 'layout.Server.ts']), [
    'pages/layout.Server.ts is an ordinary module; did you mean pages/layout.server.ts?',
  ])
  t.strictSame(warningsFor(['index.tsx', 'index.srever.tsx']), [
    'pages/index.srever.tsx is a page; did you mean pages/index.server.tsx?',
  ])
})

t.test('says what Hydrant has in place of files of other frameworks in pages/', async (t) => {
  for (const [file, meaning, meant] of [
    ['+data.ts', 'an ordinary module', '"load" in pages/index.server.ts'],
    ['books/@id/+guard.js', 'an ordinary module', '"guard" in pages/books/[id]/layout.server.ts'],
    ['+config.ts', 'an ordinary module', 'an export of pages/index.server.ts'],
    ['docs/+Head.tsx', 'a page', '<title>, <meta> or <link> in a component'],
    ['+Wrapper.tsx', 'a page', 'pages/layout.tsx'],
    ['__root.tsx', 'ignored, because its name begins with "_"', 'pages/layout.tsx'],
    ['_error.js', 'ignored, because its name begins with "_"', 'pages/error.jsx'],
    ['entry.client.tsx', 'the page /entry.client', 'an effect in pages/layout.tsx'],
  ])
    t.strictSame(warningsFor(['index.tsx', file ?? '']), [`pages/${file} is ${meaning}; did you mean ${meant}?`])
  t.strictSame(warningsFor(['_index.tsx', 'about.tsx']), [
    'pages/_index.tsx is ignored, because its name begins with "_"; did you mean pages/index.tsx?',
  ])
})

t.test('suggests the names at the root of a site', async (t) => {
  for (const [file, meaning, meant] of [
    ['sever.ts', 'an ordinary module', 'server.ts'],
    ['Server.tsx', 'an ordinary module', 'server.tsx'],
    ['hydrant.confg.ts', 'an ordinary module', 'hydrant.config.ts'],
    ['hydrnat.conifg.js', 'an ordinary module', 'hydrant.config.js'],
    ['hydrant.conf.ts', 'an ordinary module', 'hydrant.config.ts'],
    ['hydrant-config.ts', 'an ordinary module', 'hydrant.config.ts'],
    ['hydrant.config.mts', 'not read', 'hydrant.config.ts'],
    ['hydrant.config.cjs', 'not read', 'hydrant.config.js'],
    ['hydrant.config.json', 'not read', 'hydrant.config.ts'],
  ])
    t.strictSame(warningsFor(['index.tsx'], [file ?? '']), [`${file} is ${meaning}; did you mean ${meant}?`])
  t.strictSame(warningsFor(['index.tsx', '_app.tsx']), [
    'pages/_app.tsx is ignored, because its name begins with "_"; did you mean pages/layout.tsx?',
  ])
})

t.test('says nothing about ordinary names', async (t) => {
  t.strictSame(
    warningsFor(
      [
        ...['index.tsx', 'index.server.ts', 'layout.tsx', 'error.tsx', 'not-found.tsx', 'errors.tsx', 'layouts.tsx'],
        ...['payout.tsx', 'mirror.tsx', 'terror.tsx', 'lookout.tsx', 'pages.tsx', 'indices.tsx', 'page/[n].tsx'],
        ...['server.tsx', 'services.tsx', 'service.ts', 'index.serve.ts', 'index.service.ts', 'index.sever.ts'],
        ...['_layuot.tsx', '_parts/eror.tsx', '_parts/_app.tsx', 'layuot.ts', 'idnex.css', 'prices.sever.ts'],
        ...['docs/_app.tsx', 'template.tsx', 'loading/index.tsx', '[layuot].tsx', 'layuot/index.tsx', 'found.tsx'],
        ...[
          '_index.tsx',
          '_error.tsx',
          '__root.tsx',
          'docs/_index.tsx',
          'a+b.tsx',
          '+1.tsx',
          'root.tsx',
          'default.tsx',
        ],
        ...['@me.tsx', 'a.b.tsx', 'US$.tsx', 'us$5.tsx'],
      ],
      ['serve.ts', 'servers.ts', 'service.ts', 'server.mjs', 'hydrant.ts', 'vite.config.ts', 'hydrant-env.d.ts', 'x'],
    ),
    [],
  )
  const complete = ['index.tsx', 'layout.tsx', 'layuot.tsx', 'page.tsx', 'error.tsx', 'not-found.tsx', '404.tsx']
  t.strictSame(warningsFor(complete, ['server.ts', 'sever.ts', 'hydrant.config.ts', 'hydrant.confg.ts']), [])
})

t.test('a misspelling keeps the first and the last letter', async (t) => {
  for (const name of ['layuot', 'LAYOUT', 'layot', 'layyout', 'laxout']) t.ok(isMisspelling(name, 'layout'), name)
  for (const name of ['layout', 'layouts', 'layou', 'payout', 'lout', 'l', '']) {
    t.notOk(isMisspelling(name, 'layout'), name)
  }
})

t.test('suggests a folder for pages/', async (t) => {
  const { problems } = discoverSite({ root: [], folders: ['public', 'pagse'], pages: null, publicFiles: [] })
  t.equal(problems[0]?.message, 'the site has no folder pages/; did you mean pagse/?')
})

t.test('hydrant build warns, with the place and the fix', async (t) => {
  const page = 'export default () => <p>page</p>\n'
  const dir = createSite(t, {
    'pages/layuot.tsx': page,
    'pages/a.tsx': `${page}\nexport const load = () => 1\n`,
    'pages/b.tsx': `${page}export async function getServerSideProps() {}\n`,
    'pages/b.server.ts': 'export const stream = false\n',
    'pages/c.tsx': `${page}export const load = 1\nexport const size = 1\n`,
    'pages/c.server.ts': 'export const load = () => 1\n',
    'pages/d/layout.tsx': `export const metadata = { title: 'd' }\nexport default ({ children }) => children\n`,
    'pages/d/index.tsx': `export async function generateMetadata() {}\n${page}`,
    'pages/e.tsx': `export function links() {}\nexport function ErrorBoundary() {}\n${page}`,
    'pages/f.tsx': `export const getData = () => 1\nexport async function clientAction() {}\n${page}`,
  })
  const { code, stderr } = await runHere(['build', dir])
  t.equal(code, 0)
  t.match(
    stderr,
    'Warning [HYD_BUILD_FILE_NAME] pages/layuot.tsx is the page /layuot; did you mean pages/layout.tsx?\n',
  )
  t.match(stderr, '\n  at pages/layuot.tsx\nTry: Rename or move the file')
  t.match(
    stderr,
    'Warning [HYD_BUILD_PAGE_EXPORT] pages/a.tsx exports "load", which has no effect there; did you mean "load" in pages/a.server.ts?\n  at pages/a.tsx:3:14\n',
  )
  t.match(stderr, 'pages/b.tsx exports "getServerSideProps", which has no effect there; did you mean "load" in')
  t.match(stderr, 'pages/c.tsx exports "load", which has no effect there; pages/c.server.ts already exports "load"\n')
  t.notMatch(stderr, 'size')
  t.match(
    stderr,
    'pages/d/layout.tsx exports "metadata", which has no effect there; did you mean <title>, <meta> or <link> in the component?\n  at pages/d/layout.tsx:1:14\n',
  )
  t.match(stderr, 'pages/d/index.tsx exports "generateMetadata", which has no effect there; did you mean <title>')
  t.match(stderr, 'pages/e.tsx exports "links", which has no effect there; did you mean <title>')
  t.match(stderr, 'pages/e.tsx exports "ErrorBoundary", which has no effect there; did you mean the default export of')
  t.match(stderr, 'pages/f.tsx exports "getData", which has no effect there; did you mean "load" in')
  t.match(stderr, 'pages/f.tsx exports "clientAction", which has no effect there; did you mean "action" in')
})

t.test('warns about <html> outside of the root layout', async (t) => {
  const html = 'export default ({ children }) => (\n  <html lang="de"><body>{children}</body></html>\n)\n'
  const dir = createSite(t, {
    'pages/layout.tsx': html,
    'pages/[language]/layout.tsx': html,
    'pages/[language]/index.tsx': 'export default () => <p>{"<html>"}</p>\n',
    'pages/(other)/layout.jsx': html,
    'pages/(other)/a.tsx': 'export default () => <p>a</p>\n',
  })
  const { warnings } = await buildSharing({ dir })
  t.strictSame(
    warnings.map(({ code, location }) => `${code} ${location?.file}:${location?.line}:${location?.column}`).toSorted(),
    ['HYD_BUILD_HTML_ELEMENT pages/(other)/layout.jsx:2:3', 'HYD_BUILD_HTML_ELEMENT pages/[language]/layout.tsx:2:3'],
  )
})

t.test('warns about misspelled exports of a page, and about exports of other frameworks', async (t) => {
  const page = 'export default () => <p>page</p>\n'
  const dir = createSite(t, {
    'pages/a.tsx': `${page}export const hydrte = false\n`,
    'pages/b.tsx': `${page}export const prerendr = true\n`,
    'pages/c.tsx': `${page}export async function getServerSideProps() {}\n`,
    'pages/c.server.ts': 'export const load = () => 1\n',
    'pages/d.tsx': `${page}export const revalidate = 60\n`,
    'pages/e.tsx': page,
    'pages/e.server.ts': "export const revalidate = '60'\nexport const stream = 'no'\n",
    'pages/f.tsx': `${page}export const hydrate = false\nexport const hydrated = 1\n`,
    'pages/f.server.ts': 'export const revalidate = false\nexport const stream = true\n',
    'pages/layout.tsx': 'export default ({ children }) => children\nexport const hydrte = 1\n',
  })
  const { warnings } = await buildSharing({ dir })
  t.strictSame(
    warnings.map(({ message, location }) => `${location?.line}:${location?.column} ${message}`),
    [
      '2:14 pages/a.tsx exports "hydrte", which has no effect there; did you mean "hydrate"?',
      '2:14 pages/b.tsx exports "prerendr", which has no effect there; did you mean "prerender"?',
      '2:23 pages/c.tsx exports "getServerSideProps", which has no effect there; pages/c.server.ts already exports "load"',
      '2:14 pages/d.tsx exports "revalidate", which has no effect there; did you mean "cache" in pages/d.server.ts?',
      '1:14 the export "revalidate" of pages/e.server.ts has no effect with the value "60"; did you mean cache = { maxAgeS: 60 }?',
      '2:14 the export "stream" of pages/e.server.ts has no effect with the value "no"',
    ],
  )
})

t.test('warns about files of Next.js, and about names that differ only in case', async (t) => {
  const page = 'export default ({ children }) => <p>{children}</p>\n'
  const dir = createSite(t, {
    'pages/loading.tsx': page,
    'pages/route.ts': 'export async function GET() {}\n',
    'pages/api/hello.ts': 'export default function handler() {}\n',
    'pages/api/names.ts': 'export const names = []\n',
    'pages/docs/route.ts': 'export const route = 1\n',
    'pages/layout.tsx': page,
    'pages/Layout.tsx': page,
  })
  const { warnings } = await buildSharing({ dir })
  t.strictSame(
    warnings.map(({ message, location }) => [location?.file, message]),
    [
      [
        'pages/Layout.tsx',
        'pages/Layout.tsx is beside a file whose name differs only in case; did you mean pages/layout.tsx?',
      ],
      ['pages/api/hello.ts', 'pages/api/hello.ts is an ordinary module; did you mean a route in server.ts?'],
      ['pages/loading.tsx', 'pages/loading.tsx is the page /loading; did you mean a <Suspense fallback> in a page?'],
      ['pages/route.ts', 'pages/route.ts is an ordinary module; did you mean a route in server.ts?'],
    ],
  )
})

t.test('warns about files of other frameworks beside pages/, judging by their code', async (t) => {
  const foreign = {
    'app/page.tsx': 'export default async function Page() {}\n',
    'app/root.tsx': 'export function Layout() {}\n',
    'instrumentation.ts': 'export async function register() {}\n',
    'next.config.mjs': 'export default {}\n',
    'pages/template.tsx': 'export default ({ children }) => <p>{children}</p>\n',
    'src/proxy.ts': "import type { NextRequest } from 'next/server'\nexport function proxy(request: NextRequest) {}\n",
    'middleware.ts': "export function middleware() {}\n\nexport const config = { matcher: '/team/:path*' }\n",
    'src/routes/__root.tsx': 'export const Route = 1\n',
    'vite.config.ts':
      "import { reactRouter } from '@react-router/dev/vite'\nexport default { plugins: [reactRouter()] }\n",
  }
  const dir = createSite(t, { 'pages/index.tsx': 'export default () => <p>page</p>\n', ...foreign })
  const { warnings } = await buildSharing({ dir })
  t.strictSame(
    warnings.map(({ message, fix }) => [message, /"hydrant docs ([^"]+)"/.exec(fix)?.[1]]),
    [
      ['app/page.tsx is not read; did you mean a file in pages/?', 'next'],
      ['app/root.tsx is not read; did you mean a file in pages/?', 'react-router'],
      ['instrumentation.ts is an ordinary module; did you mean the plugin in server.ts?', 'next'],
      ['middleware.ts is an ordinary module; did you mean a guard in pages/layout.server.ts?', 'next'],
      ['next.config.mjs is not read; did you mean hydrant.config.ts?', 'next'],
      ['pages/template.tsx is a page; did you mean a component with a key in layout.tsx?', 'next'],
      ['src/proxy.ts is an ordinary module; did you mean a guard in pages/layout.server.ts?', 'next'],
      ['src/routes/__root.tsx is not read; did you mean a file in pages/?', 'tanstack-start'],
      ['vite.config.ts is not read; did you mean hydrant.config.ts?', 'coming-from'],
    ],
  )
  rmSync(join(dir, 'pages'), { recursive: true })
  const { stderr } = await runHere(['build', dir])
  t.match(stderr, 'the site has no folder pages/; app/page.tsx belongs to Next.js\n')
  t.match(stderr, 'Try: See "hydrant docs next" for a move from Next.js.')
})

t.test('says nothing about files of the site with names of other frameworks', async (t) => {
  const dir = createSite(t, {
    'pages/index.tsx': "import Page from '../app/page.tsx'\nexport default () => <Page />\n",
    'pages/template.tsx': 'export default () => <p>template</p>\n',
    'app/page.tsx': 'export default () => <p>page</p>\n',
    'app/layout.tsx': 'export const Layout = () => null\n',
    'server.ts':
      "import { register } from './instrumentation.ts'\nimport { middleware } from './middleware.ts'\nexport default async function plugin() {\n  register()\n  middleware()\n}\n",
    'instrumentation.ts': 'export function register() {}\n',
    'middleware.ts': 'export const config = { limit: 1 }\nexport function middleware() {}\n',
    'proxy.ts': 'export function proxy() {}\n',
    'src/template.tsx': 'export const template = 1\n',
    'vite.config.ts': "import react from '@vitejs/plugin-react'\nexport default { plugins: [react()] }\n",
  })
  t.strictSame((await buildSharing({ dir })).warnings, [])
})

t.test('warns about async components that a browser renders', async (t) => {
  const component = 'async function Part() {\n  return <p>part</p>\n}\n'
  const dir = createSite(t, {
    'pages/a.tsx': `export default ${component}`,
    'pages/b.tsx': 'const Page = async () => <p>page</p>\nexport default Page\n',
    'pages/c.tsx': `${component}export default () => <div onClick={() => Part()} />\n`,
    'pages/d/index.tsx': `export const hydrate = false\nexport default ${component}`,
    'pages/d/layout.tsx': `export default ${component}`,
    'pages/not-found.tsx': `${component}export { Part as default }\n`,
  })
  const { warnings } = await buildSharing({ dir })
  t.strictSame(
    warnings.map(({ code, location }) => `${code} ${location && formatLocation(location)}`),
    ['a.tsx:1:8', 'b.tsx:2:8', 'not-found.tsx:4:18'].map((place) => `HYD_BUILD_ASYNC_COMPONENT pages/${place}`),
  )
})

t.test('warns about a schema for forms without an action', async (t) => {
  const schema =
    "export const form = Object({ '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } })\n"
  const dir = createSite(t, {
    'pages/a.tsx': 'export default () => <p>page</p>\n',
    'pages/a.server.ts': `export const load = () => 1\n${schema}`,
    'pages/index.server.ts': `${schema}export const action = () => 1\n`,
  })
  const { warnings } = await buildSharing({ dir })
  t.strictSame(
    warnings.map(({ code, location }) => `${code} ${location?.file}:${location?.line}`),
    ['HYD_BUILD_FORM_UNUSED pages/a.server.ts:2'],
  )
})

t.test('hydrant dev warns once, and again when the warning has been away', async (t) => {
  const page = (text: string) => `export default () => <p>${text}</p>\n`
  const dir = createSite(t, { 'pages/a.tsx': `${page('one')}export const load = 1\n` })
  const dev = startCli(t, ['dev', dir, '--host', '127.0.0.1', '--port', '0'])
  const count = () => dev.lines.filter((line) => line.includes('HYD_BUILD_PAGE_EXPORT')).length
  await until(() => count() === 1)
  for (const contents of [`${page('two')}export const load = 1\n`, page('three')]) {
    writeFileSync(join(dir, 'pages/a.tsx'), contents)
    await dev.waitFor(/^updated in .*\(pages\/a\.tsx\)$/)
  }
  writeFileSync(join(dir, 'pages/a.tsx'), `${page('four')}export const load = 1\n`)
  await until(() => count() > 1)
  t.equal(count(), 2)
})

t.test('warns of options in tsconfig.json that change what code does, and have no effect', async (t) => {
  const dir = createSite(t, {
    'tsconfig.json': `{
  // Comments, trailing commas and "extends" are allowed.
  "extends": ["./base", "shared-settings/strict.json"],
  "compilerOptions": { "emitDecoratorMetadata": true, "experimentalDecorators": true, "rootDirs": [], "strict": true, },
}`,
    'base.json': `{ "compilerOptions": {
  "emitDecoratorMetadata": false, "jsxFactory": "h",
  "plugins": [{ "name": "for-editors" }, { "transform": "typia/lib/transform" }]
} }`,
    'node_modules/shared-settings/strict.json':
      '{ "compilerOptions": { "moduleSuffixes": [".web", ""], "customConditions": [""], "preserveSymlinks": false } }',
  })
  const { warnings } = await buildSharing({ dir })
  t.strictSame(
    warnings.map(({ code, location }) => `${code} ${location && formatLocation(location)}`),
    [
      'HYD_BUILD_TSCONFIG base.json:2:35',
      'HYD_BUILD_TSCONFIG base.json:3:3',
      'HYD_BUILD_TSCONFIG node_modules/shared-settings/strict.json:1:24',
      'HYD_BUILD_TSCONFIG tsconfig.json:4:24',
    ],
  )
  t.match(warnings.at(-1), {
    message:
      /^tsconfig\.json sets "emitDecoratorMetadata", which the compiler esbuild ignores: decorators find no types/,
    fix: /^Name the types in the decorators, .* or compile the modules .* with a plugin/,
  })
  const dev = startCli(t, ['dev', dir, '--port', '0'])
  await dev.waitFor(/HYD_BUILD_TSCONFIG.*emitDecoratorMetadata/)
  writeFileSync(
    join(dir, 'hydrant.config.ts'),
    "export default { esbuild: { plugins: [{ name: 'decorators', setup() {} }] } }\n",
  )
  t.strictSame((await buildSharing({ dir })).warnings, [], 'a plugin may compile such modules')
})
