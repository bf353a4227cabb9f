import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { loadBuild } from '../../src/server/build-output/load-build.ts'
import { readManifest } from '../../src/server/build-output/read-build.ts'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'
import { walk } from './walk.ts'

// After the module that replaces the compression of its other builds.
const { buildSite } = await import('../../scripts/build/build-site.ts')

const site = {
  'pages/layout.tsx':
    "import './layout.css'\nexport default ({ children }) => <html lang='en'><body>{children}</body></html>\n",
  'pages/layout.css': "@font-face { font-family: x; src: url('./x.woff2?v=1') }\nbody { background: url(/hero.png) }\n",
  'pages/x.woff2': 'a font',
  'pages/index.tsx':
    "import { lazy } from 'react'\nimport { Card } from '../components/card'\nconst Later = lazy(() => import('../components/later'))\nexport default () => <Card><Later /></Card>\n",
  'pages/index.server.ts': "export const load = () => 'SECRET'\n",
  'pages/about.tsx': "import { Card } from '../components/card'\nexport default () => <Card>about</Card>\n",
  'components/card.tsx':
    "import './card.css'\nimport logo from './logo.png'\nexport const Card = ({ children }) => <div><img src={logo} alt='' />{children}</div>\n",
  'components/card.css': '.card { color: red; background: url("./logo.png#x") }\n',
  'components/logo.png': Buffer.from([1, 2, 3]),
  'components/later.tsx': "import './later.css'\nexport default () => <i>later</i>\n",
  'components/later.css': '.later { color: blue }\n',
  'pages/logo.tsx': "import logo from '../components/logo.png'\nexport default () => logo\n",
  'server.ts': 'export default async function server() {}\n',
  'public/robots.txt': 'User-agent: *\n',
  'public/icons/a.svg': '<svg/>',
  'public/.htpasswd': 'secret',
  'public/.git/config': 'secret',
}

const dir = createSite(t, site)
const { folder, manifest } = await buildSite({ dir })

t.test('writes the files that the manifest names', async (t) => {
  t.equal(folder, join(dir, '.hydrant'))
  const manifest = readManifest(folder)
  t.match(manifest, {
    format: 1,
    mode: 'production',
    buildId: /^[0-9a-f]{16}$/,
    entry: /^[A-Z2-7]{8}\.js$/,
    serverPlugin: 'server.ts',
    publicFiles: ['icons/a.svg', 'robots.txt'],
  })
  t.strictSame(
    manifest.routes.map(({ url }) => url),
    ['/', '/about', '/logo'],
  )
  const client = readdirSync(join(folder, 'client'))
  for (const [file, { js, imports, css }] of Object.entries(manifest.modules)) {
    for (const name of [js, ...imports, ...css]) t.ok(client.includes(name), `${name} of ${file}`)
    for (const name of imports) t.notOk([manifest.entry, ...manifest.entryImports].includes(name), name)
    for (const name of [js, ...imports]) t.ok(existsSync(join(folder, 'maps', `${name}.map`)), `the map of ${name}`)
  }
  t.notOk(
    client.find((name) => name.endsWith('.map')),
    'no map is served',
  )
  const entry = readFileSync(join(folder, 'client', manifest.entry), 'utf8')
  t.match(entry, '__hydrant', 'the entry is what starts the client')
  t.notMatch(entry, 'sourceMappingURL')
  t.strictSame(walk(join(folder, 'public')), ['icons/a.svg', 'robots.txt'])
  t.strictSame(walk(join(folder, 'server')), ['config.mjs', 'config.mjs.map', 'index.mjs', 'index.mjs.map'])
  t.match(readFileSync(join(folder, 'server', 'index.mjs'), 'utf8'), /\/\/# sourceMappingURL=index\.mjs\.map\n$/)
  const map: { sources: string[] } = JSON.parse(readFileSync(join(folder, 'server', 'index.mjs.map'), 'utf8'))
  t.ok(map.sources.includes('../../pages/index.server.ts'))
})

t.test('gives the browser nothing of server files', async (t) => {
  const client = walk(folder).filter((file) => /^(client|maps)\//.test(file) && !/\.(br|gz)$/.test(file))
  t.strictSame(
    client.filter((file) => readFileSync(join(folder, file), 'utf8').includes('SECRET')),
    [],
  )
})

t.test('gives the same URL of an asset to scripts, stylesheets and the server, below any base', async (t) => {
  const client = readdirSync(join(folder, 'client'))
  const logo = client.find((name) => name.startsWith('logo-') && name.endsWith('.png'))
  t.match(logo, /^logo-[A-Z2-7]{8}\.png$/)
  const text = (name: string | undefined) => readFileSync(join(folder, 'client', name ?? ''), 'utf8')
  const css = text(manifest.modules['pages/about.tsx']?.css[0])
  t.match(css, `url(./${logo}#x)`)
  const layoutCss = text(manifest.modules['pages/layout.tsx']?.css[0])
  t.match(layoutCss, /url\(\.\/x-[A-Z2-7]{8}\.woff2\?v=1\)/)
  t.match(layoutCss, 'url(../../hero.png)', 'a public file is found under any base')
  const scripts = client.filter((name) => name.endsWith('.js')).map(text)
  t.ok(scripts.some((script) => script.includes(`new URL("./${logo}",import.meta.url).pathname`)))

  for (const [base, path] of [
    ['/', ''],
    ['/shop', '/shop'],
    ['/a/b', '/a/b'],
  ] as const) {
    const build = await loadBuild({ folder, manifest }, base)
    // The page consists only of the URL.
    const page = build.routes.find(({ id }) => id === '/logo')?.page.Component as unknown as () => string
    t.equal(page(), `${path}/_hydrant/assets/${logo}`)
  }
})

t.test('sends the stylesheet of a lazily loaded module with the page', async (t) => {
  const [css = ''] = manifest.modules['pages/index.tsx']?.css ?? []
  t.match(readFileSync(join(folder, 'client', css), 'utf8'), '.later')
})

t.test('compresses files if that makes them smaller', async (t) => {
  const dir = createSite(t, {
    ...site,
    'pages/about.tsx':
      "import big from './big.txt'\nimport noise from './noise.wasm'\nexport default () => big + noise\n",
    'pages/big.txt': 'hydrant '.repeat(200),
    'pages/noise.wasm': noise(2000),
  })
  const { folder, manifest } = await buildSite({ dir })
  const client = readdirSync(join(folder, 'client'))
  for (const name of [manifest.entry, client.find((file) => /^big-.*\.txt$/.test(file)) ?? '']) {
    const plain = readFileSync(join(folder, 'client', name))
    t.same(gunzipSync(readFileSync(join(folder, 'client', `${name}.gz`))), plain)
    t.same(brotliDecompressSync(readFileSync(join(folder, 'client', `${name}.br`))), plain)
  }
  const has = (start: string, end: string) => client.some((name) => name.startsWith(start) && name.endsWith(end))
  t.notOk(has('noise-', '.gz'), 'noise does not get smaller')
  t.notOk(has('logo-', '.gz'), 'an image is compressed already')
  t.notOk(has('about-', '.gz'), 'a small file is not worth it')
})

t.test('builds a site again with the changed files', async (t) => {
  const dir = createSite(t, site)
  const first = await buildSharing({ dir })
  const same = await buildSharing({ dir })
  t.equal(same.manifest.buildId, first.manifest.buildId)
  writeFileSync(join(dir, 'components', 'card.css'), '.card { color: green }\n')
  const third = await buildSharing({ dir })
  t.not(third.manifest.buildId, first.manifest.buildId)
  t.not(third.manifest.modules['pages/about.tsx']?.css[0], first.manifest.modules['pages/about.tsx']?.css[0])
  writeFileSync(join(dir, 'pages', 'new.tsx'), 'export default () => null\n')
  writeFileSync(join(dir, 'pages', 'about.tsx'), 'export default () => <p>changed</p>\n')
  const fourth = await buildSharing({ dir })
  t.strictSame(
    fourth.manifest.routes.map(({ id }) => id),
    ['/', '/about', '/logo', '/new'],
  )
  t.not(fourth.manifest.modules['pages/about.tsx']?.js, third.manifest.modules['pages/about.tsx']?.js)
})

// Bytes that no compression makes smaller, the same in each run.
function noise(length: number): Buffer {
  let state = 1
  return Buffer.from(
    Array.from({ length }, () => {
      state = (state * 48271) % 2147483647
      return state >> 8
    }),
  )
}
