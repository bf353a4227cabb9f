// A failure has the same fingerprint in development as in production, and leads to its line.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createServer } from '../../src/server/index.ts'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'
import { startCli } from './run-cli.ts'

const page = 'export default () => <p>page</p>\n'

/** A page by its name, with the line of its failure. */
const PAGES: Record<string, { files: Record<string, string>; at: string }> = {
  load: {
    files: { 'load.server.ts': "export async function load() {\n  await null\n  throw new Error('load')\n}\n" },
    at: 'pages/load.server.ts:3',
  },
  arrow: {
    files: { 'arrow.server.ts': "export const load = () => {\n  throw new TypeError('arrow')\n}\n" },
    at: 'pages/arrow.server.ts:2',
  },
  'load-text': {
    files: { 'load-text.server.ts': "// Two lines.\nexport function load() {\n  throw 'text of a load'\n}\n" },
    at: 'pages/load-text.server.ts:2',
  },
  helper: {
    files: {
      'helper.server.ts': "import { Cart } from '../lib/cart.ts'\nexport const load = () => new Cart().total()\n",
    },
    at: 'lib/cart.ts:4',
  },
  awaits: {
    files: {
      'awaits.server.ts':
        'const start: number = await Promise.resolve(1)\ninterface Only { type: string }\nexport const load = (): Only => {\n  throw new RangeError(`awaits since ` + start)\n}\n',
    },
    at: 'pages/awaits.server.ts:4',
  },
  later: {
    files: {
      'later.server.ts': "export const load = async () => (await import('../lib/later.ts')).later()\n",
    },
    at: 'lib/later.ts:2',
  },
  common: {
    files: { 'common.server.ts': "import { fail } from '../lib/common.cjs'\nexport const load = () => fail()\n" },
    at: 'lib/common.cjs:2',
  },
  deferred: {
    files: {
      'deferred.server.ts':
        "async function reviews(): Promise<string> {\n  await null\n  throw new Error('deferred')\n}\nexport const load = () => ({ reviews: reviews() })\n",
      'deferred.tsx':
        'import { Suspense, use } from \'react\'\nconst Reviews = ({ reviews }: { reviews: Promise<string> }) => <p>{use(reviews)}</p>\nexport default function Deferred({ data }: { data: { reviews: Promise<string> } }) {\n  return <Suspense fallback="wait"><Reviews reviews={data.reviews} /></Suspense>\n}\n',
    },
    at: 'pages/deferred.server.ts:3',
  },
  render: {
    files: { 'render.tsx': "export default function Render(): never {\n  throw new Error('render')\n}\n" },
    at: 'pages/render.tsx:2',
  },
  anonymous: {
    files: { 'anonymous.tsx': "export default () => {\n  throw new Error('anonymous')\n}\n" },
    at: 'pages/anonymous.tsx:2',
  },
  'render-text': {
    files: {
      'render-text.tsx':
        "import { Price } from '../lib/price.tsx'\nexport default function Page() {\n  return <Price />\n}\n",
    },
    at: 'lib/price.tsx:2',
  },
  'memo-text': {
    files: {
      'memo-text.tsx':
        "import { memo } from 'react'\nconst Total = memo((): never => {\n  throw 'text of memo'\n})\nexport default function Page() {\n  return <Total />\n}\n",
    },
    at: 'pages/memo-text.tsx:2',
  },
  'wrapped-text': {
    files: {
      'wrapped-text.tsx':
        "const wrap = (inner: () => never) => () => inner()\nexport default wrap(() => {\n  throw 'text of a wrapped page'\n})\n",
    },
    at: 'pages/wrapped-text.tsx:2',
  },
}

const LIBRARY = {
  'lib/cart.ts':
    "class EmptyCart extends Error {}\nexport class Cart {\n  count = 0\n  total(): number { throw new EmptyCart('helper') }\n}\n",
  'lib/later.ts': "export function later(): never {\n  throw new Error('later')\n}\n",
  'lib/common.cjs': "exports.fail = function fail() {\n  throw new Error('common')\n}\n",
  'lib/price.tsx': "type Text = string\nexport function Price(): never {\n  throw 'text of a component' as Text\n}\n",
}

const SERVER = `export default async function server(app) {
  app.addHook('onRequest', async function check({ url }) {
    if (url === '/hook') throw new Error('hook')
  })
  app.get('/hook', async () => 'never')
  app.get('/route', async () => {
    throw new Error('route')
  })
  app.get('/route-text', async () => {
    throw 'text of a route'
  })
}
`
const ROUTES: Record<string, string> = { hook: 'server.ts:3', route: 'server.ts:7', 'route-text': 'server.ts:9' }

const DIGEST = /\b([0-9A-Z]{8})-[0-9A-Z]{6}\b/

t.test('a failure has the fingerprint of production, and its line', async (t) => {
  const files = Object.entries(PAGES).flatMap(([name, { files }]) =>
    Object.entries({ [`${name}.tsx`]: page, ...files }).map(([path, text]) => [`pages/${path}`, text]),
  )
  const dir = createSite(t, { ...LIBRARY, ...Object.fromEntries(files), 'server.ts': SERVER })
  await buildSharing({ dir })
  const app = await createServer({ dir, logger: false, ledger: false })
  t.teardown(() => app.close())
  const dev = startCli(t, ['dev', dir, '--port', '0', '--host', '127.0.0.1'])
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
  const headers = { accept: 'text/html' }

  async function compare(name: string, at: string) {
    const expected = DIGEST.exec((await app.inject({ url: `/${name}`, headers })).body)?.[1]
    t.ok(expected, `${name} has a digest in production`)
    const text = await (await fetch(new URL(`/${name}`, url), { headers })).text()
    const [, digest] = await dev.waitFor(/^Digest (\w{8})-\w{6}/)
    t.equal(digest, expected, `${name} has the fingerprint of production`)
    t.match(text, digest, name)
    const [place = ''] = await dev.waitFor(/^(?! ).*:\d+:\d+\)?$/)
    t.match(place, `${at}:`, `${name} leads to its line`)
    await dev.waitFor(/^ {2}> +\d+ \|/)
  }

  for (const [name, { at }] of Object.entries(PAGES)) await compare(name, at)
  for (const [name, at] of Object.entries(ROUTES)) await compare(name, at)

  // After an edit, the line is that of the new source.
  writeFileSync(join(dir, 'lib/later.ts'), `// A new line.\n${LIBRARY['lib/later.ts']}`)
  await dev.waitFor(/^updated in/)
  await compare('later', 'lib/later.ts:3')
})
