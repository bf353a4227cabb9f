// The size of a page in the browser: bytes of production builds, gzipped as they are served.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import t from 'tap'
import type { SiteBuild } from '../../scripts/build/build-site.ts'
import { NO_SETTINGS } from '../../scripts/build/bundles/esbuild-options.ts'
import { bundlePackages } from '../../scripts/dev/modules/packages/bundle-packages.ts'
import { createServer } from '../../src/server/index.ts'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'
import { walk } from './walk.ts'

const MAX_BYTES = 4096

const page = 'export default function Page() {\n  return <p>page</p>\n}\n'
const layout =
  "import { useState } from 'react'\nexport default function Layout({ children }) {\n  const [name] = useState('x')\n  return <html lang='en'><body className={name}>{children}</body></html>\n}\n"

const gzipBytes = (contents: Uint8Array) => gzipSync(contents).byteLength

/** Returns React and the parts that Hydrant uses, bundled as a site is. */
async function measureReact(): Promise<number> {
  const { outputFiles } = await build({
    stdin: {
      contents:
        "export * as React from 'react'\nexport { hydrateRoot } from 'react-dom/client'\nexport { Fragment, jsx, jsxs } from 'react/jsx-runtime'\n",
      resolveDir: process.cwd(),
    },
    bundle: true,
    charset: 'utf8',
    define: { 'process.env.NODE_ENV': '"production"' },
    format: 'esm',
    legalComments: 'none',
    minify: true,
    platform: 'browser',
    target: 'es2022',
    write: false,
  })
  return outputFiles.reduce((sum, { contents }) => sum + gzipBytes(contents), 0)
}

interface Load {
  document: string
  /** By the name of the script, without the page's own. */
  scripts: Map<string, Uint8Array>
}

/** Returns everything that a browser loads for the page at `/`. */
async function loadIndex(dir: string, built?: SiteBuild): Promise<Load> {
  const { folder, manifest } = built ?? (await buildSharing({ dir }))
  const app = await createServer({ dir, logger: false })
  const { body } = await app.inject({ url: '/', headers: { accept: 'text/html' } })
  await app.close()
  const own = manifest.modules['pages/index.tsx']?.js
  const names = [...body.matchAll(/(?:src|href)="\/_hydrant\/assets\/([\w.-]+\.js)"/g)].map(([, name]) => name ?? '')
  const shared = names.filter((name) => name !== own)
  // Nonces and hashed names differ, but not in length.
  const document = body
    .replace(/"build":"[0-9a-f]+"/, '"build":""')
    .replaceAll(/nonce="[^"]*"/g, 'nonce=""')
    .replaceAll(/[A-Z2-7]{8}\.js/g, '.js')
  return { document, scripts: new Map(shared.map((name) => [name, readFileSync(join(folder, 'client', name))])) }
}

function sizeOf({ scripts }: Load): number {
  return [...scripts.values()].reduce((sum, contents) => sum + gzipBytes(contents), 0)
}

const smallest = createSite(t, { 'pages/index.tsx': page }, 'smallest')
const builtSmallest = await buildSharing({ dir: smallest })

t.test('the smallest page loads less than 4 kB of script in addition to React and its own', async (t) => {
  const load = await loadIndex(smallest, builtSmallest)
  t.equal(load.scripts.size, 1, 'in one script')
  const bytes = sizeOf(load) - (await measureReact())
  t.comment(`${bytes} bytes`)
  t.ok(bytes < MAX_BYTES, `${bytes} bytes`)
})

t.test('data that JSON can represent, with promises too, is read without another script', async (t) => {
  const serverFile = (data: string) => `export const load = () => (${data})\n`
  const load = async (data: string) =>
    await loadIndex(createSite(t, { 'pages/index.tsx': page, 'pages/index.server.ts': serverFile(data) }))
  const plain = await load('{ a: [1, null] }')
  const deferred = await load('{ a: Promise.resolve(1) }')
  const rich = await load('{ a: new Date(0) }')
  t.strictSame([...deferred.scripts.keys()], [...plain.scripts.keys()])
  const more = [...rich.scripts.keys()].filter((name) => !plain.scripts.has(name))
  t.equal(more.length, 1, 'what a date takes is announced in the head')
  for (const contents of plain.scripts.values()) t.notMatch(Buffer.from(contents).toString(), 'BigUint64Array')
})

t.test('nothing of development reaches a visitor', async (t) => {
  const textsIn = (folder: string, names: readonly string[]) =>
    names.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
  const { folder, manifest } = builtSmallest
  const production = textsIn(join(folder, 'client'), manifest.clientFiles)
  const packages = await bundlePackages(
    {
      siteDir: smallest,
      cacheDir: join(smallest, 'cache'),
      settings: NO_SETTINGS,
      settingsKey: '',
      specifiers: [],
      isStrict: false,
    },
    () => {},
  )
  const development = textsIn(packages.folder, walk(packages.folder))
  for (const text of ['hydrant-overlay', 'hydrant-updated', 'hydration-mismatch', '_hydrant/dev', 'EventSource']) {
    t.notOk(production.includes(text), text)
    t.ok(development.includes(text), text)
  }
  t.notOk(production.includes('__hydrant_dev__'), 'the functions of development')
})

t.test('a thousand pages cost a visitor no more bytes than ten', async (t) => {
  const createPages = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`pages/section/page-${String(index).padStart(4, '0')}.tsx`, page]),
    )
  const shared = { 'pages/index.tsx': page, 'pages/layout.tsx': layout }
  const few = await loadIndex(createSite(t, { ...shared, ...createPages(9) }, 'few'))
  const many = await loadIndex(createSite(t, { ...shared, ...createPages(999) }, 'many'))
  t.equal(many.document.length, few.document.length)
  t.equal(many.document, few.document)
  t.strictSame([...many.scripts], [...few.scripts])
})
