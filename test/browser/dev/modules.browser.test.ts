/// <reference lib="dom" />

import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { until } from '../../until.ts'
import { keepsState, startDevSite } from './dev-site.ts'

const manifest = (name: string, fields: object) => JSON.stringify({ name, version: '1.0.0', ...fields })

const packages = {
  'node_modules/plain-cjs/package.json': manifest('plain-cjs', { main: 'index.js' }),
  'node_modules/plain-cjs/index.js': "exports.named = 'cjs named'\nexports.other = 'cjs other'\n",
  'node_modules/function-cjs/package.json': manifest('function-cjs', { main: 'index.js' }),
  'node_modules/function-cjs/index.js': "module.exports = () => 'cjs function'\n",
  'node_modules/marked-cjs/package.json': manifest('marked-cjs', { main: 'index.js' }),
  'node_modules/marked-cjs/index.js':
    "Object.defineProperty(exports, '__esModule', { value: true })\nexports.default = 'marked default'\nexports.named = 'marked named'\n",
  'node_modules/plain-esm/package.json': manifest('plain-esm', {
    type: 'module',
    exports: { '.': './index.js', './sub': './sub.js', './shared': './shared.js' },
  }),
  'node_modules/plain-esm/index.js':
    "export const named = 'esm named'\nexport const second = 'esm second'\nexport default 'esm default'\n",
  'node_modules/plain-esm/sub.js': "export const sub = 'esm sub'\n",
  'node_modules/plain-esm/shared.js': "export { named as shared } from './index.js'\n",
  'node_modules/starred-esm/package.json': manifest('starred-esm', { type: 'module', main: 'index.js' }),
  'node_modules/starred-esm/index.js':
    "export const starred = 'starred'\nexport let count = 0\nexport const add = () => ++count\n",
  'node_modules/waiting-esm/package.json': manifest('waiting-esm', { type: 'module', main: 'index.js' }),
  'node_modules/waiting-esm/index.js': "export const waited = await Promise.resolve('waited')\n",
  'node_modules/marking-jsx/package.json': manifest('marking-jsx', {
    type: 'module',
    exports: { './jsx-runtime': './jsx-runtime.js' },
  }),
  'node_modules/marking-jsx/jsx-runtime.js': `import { Fragment, jsx as createOne, jsxs as createMany } from 'react/jsx-runtime'
export { Fragment }
const mark = (create) => (type, props, key) => create(type, { ...props, 'data-marked': 'marked' }, key)
export const jsx = mark(createOne)
export const jsxs = mark(createMany)
`,
  'node_modules/empty-browser/package.json': manifest('empty-browser', { main: 'index.js', browser: 'empty.js' }),
  'node_modules/empty-browser/index.js': 'module.exports = {}\n',
  'node_modules/empty-browser/empty.js': '// Nothing\n',
  'node_modules/late-esm/package.json': manifest('late-esm', { type: 'module', main: 'index.js' }),
  'node_modules/late-esm/index.js': "export const late = 'late package'\n",
  'node_modules/styled-esm/package.json': manifest('styled-esm', { type: 'module', main: 'index.js' }),
  'node_modules/styled-esm/index.js': "export const styled = 'styled'\n",
  'node_modules/styled-esm/style.css':
    '@font-face { font-family: F; src: url(f.woff2) }\n#styled { color: rgb(1, 2, 3) }\n',
  'node_modules/styled-esm/f.woff2': 'font',
  'node_modules/dual/package.json': manifest('dual', { exports: { import: './index.mjs', require: './index.cjs' } }),
  'node_modules/dual/index.mjs': "export const found = []\nexport default () => 'dual esm'\n",
  'node_modules/dual/index.cjs':
    "Object.defineProperty(exports, '__esModule', { value: true })\nexports.found = []\nexports.default = () => 'dual cjs'\n",
  'node_modules/import-only/package.json': manifest('import-only', { exports: { import: './index.mjs' } }),
  'node_modules/import-only/index.mjs':
    "import { found } from 'dual'\nexport const isSame = (other) => found === other\n",
}

// A plugin leaves its import to the browser.
const LEFT = "export const left = 'left to the browser'\n"

const site = await startDevSite(t, {
  ...packages,
  'package.json': manifest('site', { type: 'module' }),
  'tsconfig.json': JSON.stringify({
    compilerOptions: { paths: { '@parts/*': ['./parts/*'] } },
  }),
  'hydrant.config.ts': `import { readFile } from 'node:fs/promises'
const notes = {
  name: 'notes',
  setup(build) {
    build.onLoad({ filter: /\\.note$/ }, async ({ path }) => ({
      contents: 'import { Frame } from "../parts/frame"\\nexport default function Note() { return <Frame id="note">' + (await readFile(path, 'utf8')).trim() + '</Frame> }',
      loader: 'jsx',
    }))
  },
}
const outside = {
  name: 'outside',
  setup(build) {
    build.onResolve({ filter: /^outside$/ }, () => ({ path: '/left.js', external: true }))
  },
}
export default { esbuild: { plugins: [notes, outside], loader: { '.note': 'jsx', '.txt': 'text' } } }
`,
  'pages/index.tsx': `import { lazy, Suspense, useState } from 'react'
import { Aliased } from '@parts/aliased'
import { legacy } from '../parts/legacy.jsx'
import { plain } from '../parts/plain.js'
import * as all from '../parts/exports'
import { even } from '../parts/even'
import Note from '../parts/first.note'
import text from '../parts/text.txt'
import { name, list } from '../parts/data.json'
import { State } from '../parts/state'
import plainCjs, { named } from 'plain-cjs'
import functionCjs from 'function-cjs'
import * as marked from 'marked-cjs'
import esm, { second } from 'plain-esm'
import { sub } from 'plain-esm/sub'
import common, { again, missing, optional, text as commonText } from '../parts/common.cjs'
import made from '../parts/made.cjs'
import * as madeAll from '../parts/made.cjs'
import { styled } from 'styled-esm'
import 'styled-esm/style.css'
import dual, { found } from 'dual'
import { isSame } from 'import-only'
import './index.css'
const Lazy = lazy(() => import('../parts/lazy'))
export default function Page() {
  const [late, setLate] = useState('')
  const [later, setLater] = useState('')
  const values = {
    common: commonText,
    commonAgain: String(again() && common.text === commonText),
    commonMissing: missing(),
    commonOptional: optional(),
    dual: dual() + ', ' + common.dual + ', ' + isSame(found),
    made: made() + ' ' + madeAll.extra + ' ' + (madeAll.default === made),
    cjs: plainCjs.other + ', ' + named,
    functionCjs: functionCjs(),
    marked: marked.named,
    esm: esm + ', ' + second + ', ' + sub,
    all: [all.star, all.spaces.inner, all.renamed, all.default, all.cjsNamed, all.esmAll.named].join(', '),
    even: String(even(4)),
    text: text.trim(),
    json: name + ' ' + list.length,
    legacy: legacy(),
    plain,
  }
  return (
    <main>
      {Object.entries(values).map(([key, value]) => <p key={key} id={key}>{value}</p>)}
      <p id="styled">{styled}</p>
      <Aliased /><Note />
      <button id="late" type="button" onClick={() => import('late-esm').then((module) => setLate(module.late))}>{late}</button>
      <button id="later" type="button" onClick={() => import('../parts/made.cjs').then((module) => setLater(module.default()))}>{later}</button>
      <Suspense><Lazy /></Suspense>
      <State />
    </main>
  )
}
`,
  'pages/index.css': 'main { background: url(../parts/dot.png), url(/dot.png); fill: url(#gradient) }\n',
  'parts/dot.png': 'image',
  'public/dot.png': 'image',
  'public/left.js': LEFT,
  'parts/aliased.tsx': 'export const Aliased = () => <b id="aliased">aliased</b>\n',
  'parts/legacy.jsx': "const mark = <i />\nexport const legacy = () => mark.type + ' jsx'\n",
  'parts/plain.js': "export const plain = require('./required.cjs')\n",
  'parts/required.cjs': "module.exports = 'js'\n",
  'parts/exports.ts': `export * from './star'
export * as spaces from './inner'
export { named as renamed, default } from 'plain-esm'
export { named as cjsNamed } from 'plain-cjs'
export * as esmAll from 'plain-esm'
`,
  'parts/star.ts': "export const star = 'star'\nexport default 'not exported'\n",
  'parts/inner.ts': "export const inner = 'inner'\n",
  // A circle of imports.
  'parts/common.cjs': `const { named } = require('plain-cjs')
const esm = require('./star')
const other = require('./other.cjs')
exports.text = [named, esm.star, esm.__esModule, require('./data.json').name, other.text, this === exports].join(', ')
exports.dual = require('dual').default()
exports.again = () => require('./other.cjs') === other && other.again().text === exports.text
exports.missing = () => {
  try {
    return require(String('no' + 'where'))
  } catch {
    return 'missing'
  }
}
exports.optional = () => {
  try {
    return require('not-installed')
  } catch {
    return 'not installed'
  }
}
`,
  'parts/other.cjs': "exports.text = 'other'\nexports.again = () => require('./common.cjs')\n",
  'parts/made.cjs': "module.exports = () => 'made'\nmodule.exports.extra = 'extra'\n",
  'parts/even.ts': "import { odd } from './odd'\nexport const even = (value) => value === 0 || odd(value - 1)\n",
  'parts/odd.ts': "import { even } from './even'\nexport const odd = (value) => value !== 0 && even(value - 1)\n",
  'parts/frame.tsx': 'export function Frame({ id, children }) {\n  return <b id={id}>{children}</b>\n}\n',
  'parts/first.note': 'note\n',
  'parts/text.txt': 'text\n',
  'parts/data.json': '{ "name": "json", "list": [1, 2] }\n',
  'parts/lazy.tsx': 'export default function Lazy() {\n  return <b id="lazy">lazy</b>\n}\n',
})

const EXPECTED = {
  common: 'cjs named, star, true, json, other, true',
  commonAgain: 'true',
  commonMissing: 'missing',
  commonOptional: 'not installed',
  dual: 'dual esm, dual cjs, true',
  made: 'made extra true',
  cjs: 'cjs other, cjs named',
  functionCjs: 'cjs function',
  marked: 'marked named',
  esm: 'esm default, esm second, esm sub',
  all: 'star, inner, esm named, esm default, cjs named, esm named',
  even: 'true',
  text: 'text',
  json: 'json 2',
  legacy: 'i jsx',
  plain: 'js',
  styled: 'styled',
  aliased: 'aliased',
  note: 'note',
  lazy: 'lazy',
}

t.test('runs packages and modules of every kind in the browser', async (t) => {
  const page = await site.open('/')
  await page.shown('#lazy')
  for (const [id, text] of Object.entries(EXPECTED)) t.equal(await page.read(`#${id}`), text, id)
  t.equal(
    await page.evaluate(() => getComputedStyle(document.querySelector('#styled') ?? document.body).color, null),
    'rgb(1, 2, 3)',
  )
  const background = await page.evaluate(
    () => getComputedStyle(document.querySelector('main') ?? document.body).backgroundImage,
    null,
  )
  const urls = [...background.matchAll(/url\("(.*?)"\)/g)].map(([, url = '']) => url)
  t.equal(urls.length, 2)
  for (const url of urls) t.equal((await fetch(url)).status, 200, url)
  await page.press('#late')
  await page.says('#late', 'late package')
  await page.press('#later')
  await page.says('#later', 'made')
  t.strictSame(page.messages, [])
})

t.test('shows edits of modules of every kind', async (t) => {
  const page = await site.open('/')
  await page.shown('#lazy')
  await keepsState(t, page, () => site.edit('parts/lazy.tsx', 'lazy</b>', 'new lazy</b>'), '#lazy', 'new lazy')
  await keepsState(t, page, () => site.edit('parts/aliased.tsx', 'aliased</b>', 'new</b>'), '#aliased', 'new')
  await keepsState(t, page, () => site.write('parts/first.note', 'new note\n'), '#note', 'new note')
  await keepsState(t, page, () => site.edit('parts/frame.tsx', '{children}', '{children}!'), '#note', 'new note!')
  await keepsState(t, page, () => site.write('parts/text.txt', 'new text\n'), '#text', 'new text')
  await keepsState(
    t,
    page,
    () => site.edit('parts/star.ts', "'star'", "'new star'"),
    '#all',
    'new star, inner, esm named, esm default, cjs named, esm named',
  )
  await keepsState(t, page, () => site.edit('parts/odd.ts', 'value !== 0 &&', "value === 3 ? 'odd' :"), '#even', 'odd')
  await keepsState(t, page, () => site.edit('parts/made.cjs', "'made'", "'new'"), '#made', 'new extra true')
  await keepsState(
    t,
    page,
    () => site.edit('parts/other.cjs', "'other'", "'new other'"),
    '#common',
    'cjs named, new star, true, json, new other, true',
  )
  await keepsState(t, page, () => site.edit('parts/legacy.jsx', ' jsx', ' new'), '#legacy', 'i new')
  await keepsState(t, page, () => site.edit('parts/data.json', '[1, 2]', '[]'), '#json', 'json 0')
  t.strictSame(page.messages, [])
})

t.test('uses the sources of a linked package', async (t) => {
  site.write('../dist-linked-for-modules/package.json', manifest('linked', { type: 'module', exports: './index.tsx' }))
  site.write(
    '../dist-linked-for-modules/index.tsx',
    'export function Linked() {\n  return <b id="linked">linked</b>\n}\n',
  )
  mkdirSync(dirname(join(site.dir, 'node_modules/linked')), { recursive: true })
  symlinkSync(join(site.dir, '../dist-linked-for-modules'), join(site.dir, 'node_modules/linked'))
  site.write(
    'pages/linked.tsx',
    `import { Linked } from 'linked'
import { State } from '../parts/state'
export default () => <main><Linked /><State /></main>
`,
  )
  const page = await site.open('/linked')
  await keepsState(
    t,
    page,
    () => site.edit('../dist-linked-for-modules/index.tsx', 'linked</b>', 'new</b>'),
    '#linked',
    'new',
  )
  t.strictSame(page.messages, [])
})

t.test('runs packages as the browser runs modules, and loads only those that a page imports', async (t) => {
  site.write('parts/reexport.ts', "export * from 'starred-esm'\n")
  site.write(
    'pages/native.tsx',
    `import { useState } from 'react'
import { add, count, starred } from '../parts/reexport'
import { waited } from 'waiting-esm'
import empty from 'empty-browser'
export default function Page() {
  const [, setClicks] = useState(0)
  const [text, setText] = useState('')
  const loadMissing = () => import('not-installed').catch((error) => setText(error.message))
  const load = () => import('data:text/javascript,export default "from a URL"').then((module) => setText(module.default))
  return <main><p id="values">{starred} {waited} {JSON.stringify(empty)}</p><button id="add" type="button" onClick={() => setClicks(add())}>{count}</button><button id="url" type="button" onClick={load}>{text}</button><button id="missing" type="button" onClick={loadMissing}>missing</button></main>
}
`,
  )
  const page = await site.open('/native')
  t.equal(await page.read('#values'), 'starred waited {}')
  await page.press('#add')
  await page.says('#add', '1')
  await page.press('#url')
  await page.says('#url', 'from a URL')
  await page.press('#missing')
  await page.says('#url', 'Could not resolve "not-installed"')
  t.strictSame(page.messages, [])
  const scripts = await page.evaluate(
    () =>
      performance
        .getEntriesByType('resource')
        .flatMap(({ name }) => /package-([\w-]+)-\w{8}\.js/.exec(name)?.[1] ?? []),
    null,
  )
  t.strictSame(scripts.sort(), [
    'empty-browser',
    'not-installed',
    'react',
    'react-jsx-runtime',
    'starred-esm',
    'waiting-esm',
  ])
})

t.test('exports the names of CommonJS modules again with export *', async (t) => {
  site.write('parts/deep.cjs', "exports.deep = 'deep'\nexports.own = 'not exported'\n")
  site.write('parts/named.cjs', "const first = 'first'\nmodule.exports = { first, ...require('./deep.cjs') }\n")
  site.write('parts/all.ts', "export * from './named.cjs'\nexport * from 'plain-cjs'\nexport const own = 'own'\n")
  site.write(
    'pages/all.tsx',
    `import { deep, first, named, other, own } from '../parts/all'
import * as all from '../parts/all'
import { State } from '../parts/state'
export default function Page() {
  return <main><p id="names">{[deep, first, named, other, own].join()}</p><p id="all">{Object.keys(all).sort().join()}</p><State /></main>
}
`,
  )
  const page = await site.open('/all')
  t.equal(await page.read('#names'), 'deep,first,cjs named,cjs other,own')
  await keepsState(
    t,
    page,
    () => site.edit('parts/named.cjs', 'first, ...', 'first: first, second: first, ...'),
    '#all',
    'deep,first,named,other,own,second',
  )
  await page.says('#names', 'deep,first,cjs named,cjs other,own')
  t.strictSame(page.messages, [])
})

t.test('requires the modules that a pattern matches', async (t) => {
  for (const name of ['de', 'en']) site.write(`parts/required/${name}.cjs`, `module.exports = 'required ${name}'\n`)
  site.write(
    'parts/require.cjs',
    `exports.find = (name) => {
  try {
    return require('./required/' + name + '.cjs')
  } catch (error) {
    return error.message
  }
}
`,
  )
  site.write(
    'pages/require.tsx',
    `import { useState } from 'react'
import { find } from '../parts/require.cjs'
export default function Page() {
  const [name, setName] = useState('de')
  return <main><button id="fr" type="button" onClick={() => setName('fr')}>fr</button><p id="text">{find(name)}</p></main>
}
`,
  )
  const page = await site.open('/require')
  t.equal(await page.read('#text'), 'required de')
  await page.press('#fr')
  await page.says('#text', 'Module not found in bundle: ./required/fr.cjs')
  site.write('parts/required/fr.cjs', "module.exports = 'required fr'\n")
  await page.says('#text', 'required fr')
  t.strictSame(page.messages, [])
})

t.test('leaves an import to the browser if a plugin does', async (t) => {
  site.write(
    'pages/left.tsx',
    `import { useState } from 'react'
export default function Page() {
  const [text, setText] = useState('')
  return <main><button id="load" type="button" onClick={() => import('outside').then(({ left }) => setText(left))}>{text}</button></main>
}
`,
  )
  const page = await site.open('/left')
  await page.press('#load')
  await page.says('#load', 'left to the browser')
  t.strictSame(page.messages, [])
})

t.test('imports the modules that a pattern matches', async (t) => {
  for (const folder of ['texts', 'words']) {
    for (const name of ['de', 'en']) site.write(`parts/${folder}/${name}.ts`, `export default '${folder} ${name}'\n`)
  }
  site.write('parts/texts/old.cjs', "module.exports = 'texts old'\n")
  site.write(
    'pages/pattern.tsx',
    `import { useState } from 'react'
export default function Page() {
  const [text, setText] = useState('')
  const show = (file) => import('../parts/texts/' + file).then((module) => setText(module.default), (error) => setText(error.message))
  return <main>{['de.ts', 'old.cjs', 'fr.ts'].map((file) => <button key={file} id={file.slice(0, 2)} type="button" onClick={() => show(file)}>{file}</button>)}<p id="text">{text}</p></main>
}
`,
  )
  const page = await site.open('/pattern')
  await page.press('#de')
  await page.says('#text', 'texts de')
  await page.press('#ol')
  await page.says('#text', 'texts old')
  await page.press('#fr')
  await page.says('#text', 'Module not found in bundle: ../parts/texts/fr.ts')
  site.edit('parts/texts/de.ts', 'texts de', 'new de')
  site.edit('pages/pattern.tsx', "['de.ts'", "['en.ts', 'de.ts'")
  await page.shown('#en')
  await page.press('#de')
  await page.says('#text', 'new de')
  site.edit('pages/pattern.tsx', "'../parts/texts/' + file", "'../parts/words/' + file")
  site.edit('pages/pattern.tsx', "['en.ts'", "['it.ts', 'en.ts'")
  await page.shown('#it')
  await page.press('#en')
  await page.says('#text', 'words en')
  site.write('parts/words/it.ts', "export default 'words it'\n")
  const pressed = async () => {
    await page.press('#it')
    return await page.read('#text')
  }
  await until(async () => (await pressed()) === 'words it')
  site.remove('parts/words/it.ts')
  await until(async () => (await pressed()) === 'Module not found in bundle: ../parts/words/it.ts')
  t.strictSame(page.messages, [])
})

t.test('compiles syntax that browsers do not have, with the settings of tsconfig.json', async (t) => {
  site.write(
    'parts/settings/tsconfig.json',
    JSON.stringify({
      compilerOptions: {
        ...{ jsx: 'react-jsx', jsxImportSource: 'marking-jsx' },
        ...{ experimentalDecorators: true, useDefineForClassFields: false },
      },
    }),
  )
  site.write('parts/settings/marked.tsx', 'export const Marked = () => <i id="marked">marked</i>\n')
  site.write(
    'parts/settings/decorated.ts',
    "const logged: string[] = []\nfunction log(_: object, name: string) {\n  logged.push(name)\n}\nclass Base {\n  constructor() {\n    Object.assign(this, { text: 'base' })\n  }\n}\nexport class Decorated extends Base {\n  @log method() {\n    return logged.join()\n  }\n  text?: string\n}\n",
  )
  site.write(
    'parts/syntax.ts',
    "import data from './data.json' with { type: 'json' }\nconst twice = (_: unknown, { name }: { name: PropertyKey }) => (value: string) => [name, value].map(String).join(' ')\nlet closed = 'open'\nexport function close() {\n  using resource = { [Symbol.dispose]: () => { closed = 'closed' } }\n  return Object.keys(resource).length\n}\nexport class Standard {\n  @twice field = 'value'\n  accessor other = 'other'\n}\nexport const later = () => import('./data.json', { with: { type: 'json' } })\nexport const read = () => [data.name, closed].join()\n",
  )
  site.write(
    'pages/syntax.tsx',
    `import { useState } from 'react'
import { Decorated } from '../parts/settings/decorated'
import { Marked } from '../parts/settings/marked'
import { close, later, read, Standard } from '../parts/syntax'
export default function Page() {
  const [name, setName] = useState('')
  const decorated = new Decorated()
  const standard = new Standard()
  close()
  return <main><p id="values">{[decorated.method(), decorated.text, standard.field, standard.other, read()].join()}</p><Marked /><button id="later" type="button" onClick={() => later().then((module) => setName(module.default.name))}>{name}</button></main>
}
`,
  )
  const page = await site.open('/syntax')
  t.equal(await page.read('#values'), 'method,base,field value,other,json,closed')
  await page.shown('#marked[data-marked=marked]')
  await page.press('#later')
  await page.says('#later', 'json')
  t.strictSame(page.messages, [])
  site.edit('parts/settings/marked.tsx', 'marked</i>', 'new</i>')
  await page.says('#marked', 'new')
  const compilerOptions = { paths: { '@parts/*': ['./parts/*'] }, jsx: 'react-jsx', jsxImportSource: 'marking-jsx' }
  site.write('tsconfig.json', JSON.stringify({ compilerOptions }))
  await page.shown('#values[data-marked=marked]')
  t.strictSame(page.errors, [])
})

t.test(
  'keeps the state when a package is imported for the first time, unless other packages have its code',
  async (t) => {
    const page = await site.open('/')
    await page.shown('#lazy')
    site.write('node_modules/added-esm/package.json', manifest('added-esm', { type: 'module', main: 'index.js' }))
    site.write('node_modules/added-esm/index.js', "export const added = 'added'\n")
    const importing = (name: string, from: string) =>
      site.write(
        'parts/aliased.tsx',
        `import { ${name} } from '${from}'\nexport const Aliased = () => <b id="aliased">{${name}}</b>\n`,
      )
    await keepsState(t, page, () => importing('added', 'added-esm'), '#aliased', 'added')
    importing('shared', 'plain-esm/shared')
    await page.says('#aliased', 'esm named')
    t.strictSame(page.errors, [])
  },
)
