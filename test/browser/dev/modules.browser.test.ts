/// <reference lib="dom" />

import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { until } from '../../until.ts'
import { manifest, writePackages } from '../module-packages.ts'
import { keepsState, startDevSite } from './dev-site.ts'

const site = await startDevSite(t, 'modules', { prepare: writePackages })

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
  // Text, because the package is outside of the site.
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
  const page = await site.open('/require')
  t.equal(await page.read('#text'), 'required de')
  await page.press('#fr')
  await page.says('#text', 'Module not found in bundle: ./required/fr.cjs')
  site.write('parts/required/fr.cjs', "module.exports = 'required fr'\n")
  await page.says('#text', 'required fr')
  t.strictSame(page.messages, [])
})

t.test('leaves an import to the browser if a plugin does', async (t) => {
  const page = await site.open('/left')
  await page.press('#load')
  await page.says('#load', 'left to the browser')
  t.strictSame(page.messages, [])
})

t.test('imports the modules that a pattern matches', async (t) => {
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
  site.edit('pages/pattern.tsx', `\`../parts/texts/\${file}\``, "'../parts/words/' + file")
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
  // Text, because the typed app is compiled with other settings.
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
