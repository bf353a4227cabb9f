import { join } from 'node:path'
import t from 'tap'
import { DIGEST_PATTERN } from '../../digest-pattern.ts'
import { buildFiles, type Files, fingerprintOfResponse, type Served, serve } from '../served.ts'

const component = (name: string) => `export default function ${name}() {\n  return <p>${name}</p>\n}\n`

/** A page with this function as its load. */
const loading = (name: string, load: string): Files => ({
  [`pages/${name}.tsx`]: component('Page'),
  [`pages/${name}.server.ts`]: load,
})

/** Throw sites, one on each page. */
const site: Files = {
  'lib/products.ts': `export function findProduct(id: string) {
  throw new Error('product ' + id + ' is not in "' + id + '"')
}
export function countProducts() {
  throw new Error('product 1 is not in "x"')
}
`,
  ...loading(
    'called',
    "import { findProduct } from '../lib/products'\nexport function load({ url }) {\n  return findProduct(url.searchParams.get('id'))\n}\n",
  ),
  ...loading(
    'counted',
    "import { countProducts } from '../lib/products'\nexport function load() {\n  return countProducts()\n}\n",
  ),
  ...loading('plain', "export function load() {\n  throw new Error('plain')\n}\n"),
  ...loading('other', "export function load() {\n  throw new Error('other')\n}\n"),
  ...loading('typed', "export function load() {\n  throw new TypeError('plain')\n}\n"),
  ...loading('same', "export function load() {\n  throw new Error('plain')\n}\n"),
  ...loading(
    'awaited',
    "async function query() {\n  await null\n  throw new Error('no answer')\n}\nexport async function load() {\n  return { rows: await query() }\n}\n",
  ),
  ...loading(
    'arrow',
    "const each = () => { throw new Error('in an arrow') }\nexport const load = () => [1].map(() => each())\n",
  ),
  ...loading(
    'method',
    "class Cart {\n  total() {\n    throw new Error('no total')\n  }\n}\nexport const load = () => ({ total: new Cart().total() })\n",
  ),
  ...loading(
    'constructed',
    "class Cart {\n  constructor() {\n    throw new Error('no cart')\n  }\n}\nexport const load = () => ({ cart: new Cart() })\n",
  ),
  ...loading(
    'static',
    "class Cart {\n  static open() {\n    throw new Error('not open')\n  }\n}\nexport const load = () => Cart.open()\n",
  ),
  ...loading(
    'named',
    "class CartError extends Error {\n  constructor(message) {\n    super(message)\n    this.name = new.target.name\n  }\n}\nexport const load = () => {\n  throw new CartError('named by its class')\n}\n",
  ),
  ...loading(
    'inner',
    "export function load() {\n  function total2() {\n    throw new Error('inside')\n  }\n  return total2()\n}\n",
  ),
  ...loading('text', "export function load() {\n  throw 'a string'\n}\n"),
  ...loading('nothing', 'export function load() {\n  throw null\n}\n'),
  ...loading('rejected', "export async function load() {\n  return Promise.reject({ no: 'error' })\n}\n"),
  'pages/rendered.tsx': "export default function Page() {\n  throw new Error('in a component')\n}\n",
  'pages/nested.tsx':
    "function Price() {\n  throw new Error('in a component')\n}\nexport default function Page() {\n  return <p><Price /></p>\n}\n",
  'pages/textual.tsx':
    "function Price() {\n  throw 'no stack'\n}\nexport default function Page() {\n  return <p><Price /></p>\n}\n",
}

const paths = Object.keys(site)
  .filter((file) => /^pages\/\w+\.tsx$/.test(file))
  .map((file) => `/${file.slice('pages/'.length, -'.tsx'.length)}`)

// The code of a page also runs in the browser, and a server file may export nothing else.
const above = (file: string) =>
  file.startsWith('lib/')
    ? "// A remark.\nimport { sep } from 'node:path'\n\nexport const unusedHere = () => [sep].length\n\n"
    : '// A remark.\n\n\n'
const below = '\n\nfunction addedLater(): number {\n  return 1\n}\nvoid addedLater\n'

/** Equal throw sites after changes to the rest of the site: other lines, other pages with the same names. */
const edited: Files = Object.fromEntries([
  ...Object.entries(site).map(([file, contents]) => [file, `${above(file)}${contents}${below}`]),
  // The first modules of the bundle: their names make esbuild rename those of the others.
  ['pages/aaa.tsx', component('Page')],
  [
    'pages/aaa.server.ts',
    'export function load() {\n  return { all: [findProduct, countProducts, query, each, Cart, CartError, Price, total].length }\n}\nfunction findProduct() {}\nfunction countProducts() {}\nfunction query() {}\nconst each = () => 1\nclass Cart {}\nclass CartError extends Error {}\nfunction Price() {}\nfunction total() {}\nconsole.debug(Cart, CartError)\n',
  ],
  [
    'pages/aab.tsx',
    'export default function Page() {\n  function total() {\n    return 1\n  }\n  return <p>{total()}</p>\n}\n',
  ],
])

t.test('the fingerprint of a failure survives changes elsewhere', async (t) => {
  const root = t.testdir({})
  const first = await serve(t, await buildFiles(join(root, 'one'), site))
  const second = await serve(t, await buildFiles(join(root, 'two/with spaces/[here]'), edited), { base: '/shop' })

  const ask = (served: Served, path: string, host: string, id: string) =>
    served.app.inject({ url: `${path}?id=${id}`, headers: { accept: 'text/html', host } })

  const fingerprints = new Map<string, string>()
  for (const path of paths) {
    const before = await ask(first, path, 'one.example', '17')
    const again = await ask(first, path, 'one.example', '4d3f0c1e-9f5e-4a3d-8b39-0d8f5a1c2b3e')
    const after = await ask(second, `/shop${path}`, 'two.example:8443', '4096')
    for (const response of [before, again, after]) {
      t.equal(response.statusCode, 500, path)
      t.match(response.headers['x-error-digest'], DIGEST_PATTERN)
    }
    t.not(before.headers['x-error-digest'], again.headers['x-error-digest'], `${path}: each request has its occurrence`)
    t.equal(fingerprintOfResponse(before), fingerprintOfResponse(again), `${path}: the same for the next visitor`)
    t.equal(
      fingerprintOfResponse(after),
      fingerprintOfResponse(before),
      `${path}: the same after edits and a rebuild in another folder; ${JSON.stringify([
        first.failuresOf(before)[0]?.err?.stack.split('\n').slice(0, 3),
        second.failuresOf(after)[0]?.err?.stack.split('\n').slice(0, 3),
      ])}`,
    )
    fingerprints.set(path, fingerprintOfResponse(before))
  }

  t.test('differs between throw sites', async (t) => {
    for (const [path, fingerprint] of fingerprints) {
      const same = [...fingerprints].filter(([, other]) => other === fingerprint).map(([other]) => other)
      t.strictSame(same, [path])
    }
  })
})

t.test('a function in another file is another throw site, a renamed parameter is not', async (t) => {
  const root = t.testdir({})
  const load = (name: string, parameter: string) =>
    `function ${name}(${parameter}) {\n  throw new Error('broken')\n}\nexport function load(ctx) {\n  return ${name}(ctx)\n}\n`
  const fingerprints: string[] = []
  for (const [index, text] of [load('find', 'a'), load('find', 'b'), load('seek', 'a')].entries()) {
    const served = await serve(t, await buildFiles(join(root, String(index)), loading('x', text)))
    fingerprints.push(fingerprintOfResponse(await served.get('/x')))
  }
  t.equal(fingerprints[0], fingerprints[1])
  t.not(fingerprints[0], fingerprints[2])
})
