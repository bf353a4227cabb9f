import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BuildOptions } from 'esbuild'
import t, { type Test } from 'tap'
import { createBundler } from '../../scripts/build/esbuild/bundler.ts'
import { createCss, createCssCompiler } from '../../scripts/build/esbuild/css.ts'
import { formatLocation } from '../../scripts/build-problem.ts'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'

const page = (names: string) =>
  `import styles from './page.module.css'\nexport default () => [${names}].map((name) => styles[name])\n`

/** Returns the classes on the server, the stylesheet and the browser's script of one page, and the build's warnings. */
async function build(t: Test, files: Record<string, string>) {
  const dir = createSite(t, files)
  const { folder, manifest, warnings } = await buildSharing({ dir })
  const { modules } = await import(pathToFileURL(join(folder, 'server', 'index.mjs')).href)
  const { js, css } = manifest.modules['pages/page.tsx'] ?? { js: '', css: [] }
  const text = (name: string) => readFileSync(join(folder, 'client', name), 'utf8')
  const names: string[] = modules['pages/page.tsx'].default()
  return { names, js: text(js), css: css.map(text).join('\n'), warnings }
}

const files = {
  'pages/page.tsx': page("'root', 'fade', 'foo-bar'"),
  'pages/page.module.css': `
    .root { color: red; animation: fade 1s }
    .fade { color: green }
    .foo-bar > :global(.outside) { color: blue }
    @keyframes fade { from { opacity: 0 } }
  `,
}

t.test('names classes the same in both bundles', async (t) => {
  const { names, css, js } = await build(t, files)
  t.match(names, [/^page_[A-Z2-7]{6}_root$/, /^page_[A-Z2-7]{6}_fade$/, /^page_[A-Z2-7]{6}_foo-bar$/])
  for (const name of names) {
    t.match(css, `.${name}`)
    t.match(js, name)
  }
  t.match(css, '.outside')
  t.match(css, `@keyframes ${names[1]}`)
})

t.test('distinguishes files of one name in two folders', async (t) => {
  const { names, css } = await build(t, {
    'pages/page.tsx':
      "import a from '../a/box.module.css'\nimport b from '../b/box.module.css'\nexport default () => [a.box, b.box]\n",
    'a/box.module.css': '.box { color: red }',
    'b/box.module.css': '.box { color: blue }',
  })
  t.equal(new Set(names).size, 2)
  for (const name of names) t.match(css, `.${name}{`)
})

t.test('warns about names from a stylesheet that is no module', async (t) => {
  const { warnings } = await build(t, {
    'pages/page.tsx':
      "import './a.css'\nimport styles from './a.css'\nimport * as all from '../lib/b.css'\n// import none from './a.css'\nexport default () => [styles, all].map(String)\n",
    'pages/a.css': '.a { color: red }',
    'lib/b.css': '.b { color: red }',
    'pages/other.tsx': "import './a.css'\nexport default () => null\n",
  })
  t.strictSame(
    warnings.map(({ message, location }) => [location && formatLocation(location), message]),
    [
      [
        'pages/page.tsx:2:1',
        'pages/a.css has no class names to import, because its name does not end in ".module.css"',
      ],
      ['pages/page.tsx:3:1', 'lib/b.css has no class names to import, because its name does not end in ".module.css"'],
    ],
  )
})

const CLASSES = '.card { color: red }\n.two-words { color: red }\n@keyframes fade { to { opacity: 0 } }'

t.test('warns about classes that a module does not have, at their places', async (t) => {
  const { warnings } = await build(t, {
    'pages/page.tsx': `import s from './page.module.css'
import type { ReactNode } from 'react'
import * as all from './page.module.css'
const { card, twoWords, ...others } = s
export const Box = ({ children }: { children: ReactNode }) => <p className={s.crad}>{children}</p>
export default () => [card, twoWords, others, 'ä' + s?.crad, s['two-word' as const], s['two-words'], all.crda]
`,
    'pages/page.module.css': CLASSES,
    'pages/other.tsx':
      "import $, { card } from '../lib/box.module.css'\nlet a\n;({ b: a } = $)\nexport default () => [a, card]\n",
    'lib/box.module.css': CLASSES,
  })
  t.strictSame(
    warnings.map(({ code, message, location }) => [code, location && formatLocation(location), message]),
    [
      ['HYD_BUILD_CLASS_NAME', 'pages/other.tsx:3:5', 'lib/box.module.css has no class "b"'],
      ...[
        ['4:15', 'twoWords', 'two-words'],
        ['5:79', 'crad', 'card'],
        ['6:56', 'crad', 'card'],
        ['6:64', 'two-word', 'two-words'],
        ['6:106', 'crda', 'card'],
      ].map(([place, name, meant]) => [
        'HYD_BUILD_CLASS_NAME',
        `pages/page.tsx:${place}`,
        `pages/page.module.css has no class "${name}"; did you mean "${meant}"?`,
      ]),
    ],
  )
})

t.test('does not warn about names that only the running code shows, or that are not of the module', async (t) => {
  const { warnings } = await build(t, {
    'pages/page.tsx': `import s from './page.module.css'
import { again } from '../lib/styles.ts'
// s.comment, and s['comment']
const text = 's.text'
const name = 'dynamic'
const { [name]: dynamic, card: { length } } = s
const shown = (s: Record<string, string>) => s.parameter
s.added = 'added'
export const read = ({ s: given = s }: { s?: Record<string, string> }) => given.prop
export default function Page() {
  const other = { s: { member: 1 } }
  try {
    for (const s of [other]) if (s.s.member) throw { ...s, text }
  } catch (s) {
    const { caught } = s as { caught: string }
    return [caught, other.s.member, s.message, \`s.template\`]
  }
  return [shown(s), again.other, read({}), s[name], dynamic, length, s.card, s.fade, s['two-words'], s.added, s.toString(), { ...s }]
}
`,
    'pages/page.module.css': CLASSES,
    'lib/styles.ts': "export { default as again } from '../pages/page.module.css'\n",
  })
  t.strictSame(warnings, [])
})

t.test('warns once of a mistake, at its place in the source', async (t) => {
  const { warnings } = await build(t, {
    'pages/page.tsx': page("'a'"),
    'pages/page.module.css': ".a { composes: b from './other.module.css'; colr: red }\n.c { colr: red }\n",
    'pages/other.module.css': '.b { margin: 0 auto }\n}\n',
  })
  t.strictSame(
    warnings.map(({ message, location }) => [message, location && formatLocation(location)]),
    [
      ['Unexpected "}"', 'pages/other.module.css:2:1'],
      ['"colr" is not a known CSS property', 'pages/page.module.css:1:45'],
      ['"colr" is not a known CSS property', 'pages/page.module.css:2:6'],
    ],
  )
})

t.test('composes classes of another file, directly and indirectly, without a copy of their rules', async (t) => {
  const { names, css } = await build(t, {
    'pages/page.tsx': `import '../components/text.module.css'\n${page("'title', 'plain'")}`,
    'pages/page.module.css':
      ".title { composes: big strong from '../components/text.module.css'; color: red }\n.plain { color: gray }",
    'components/text.module.css':
      ".big { font-size: 2rem }\n.strong { composes: base from './base.module.css'; font-weight: 700 }",
    'components/base.module.css': '.base { margin: 0 }',
  })
  const [title = '', plain = ''] = names
  t.match(title.split(' '), [/^text_\w+_big$/, /^base_\w+_base$/, /^text_\w+_strong$/, /^page_\w+_title$/])
  t.match(plain, /^page_\w+_plain$/)
  t.equal(css.match(/font-size:2rem/g)?.length, 1)
  t.ok(css.indexOf('margin:0') < css.indexOf('font-weight:700'), 'what is composed comes first')
  t.ok(css.indexOf('font-weight:700') < css.indexOf('color:red'))
})

t.test('exports each class by its name, including reserved words', async (t) => {
  const { names } = await build(t, {
    'pages/page.tsx':
      "import { root, 'foo-bar' as fooBar, class as word } from './page.module.css'\nimport all from './page.module.css'\nexport default () => [root, fooBar, word, all.default]\n",
    'pages/page.module.css':
      '.root { color: red }\n.foo-bar { color: red }\n.class { color: red }\n.default { color: red }',
  })
  t.match(names, [/_root$/, /_foo-bar$/, /_class$/, /_default$/])
})

t.test('resolves url() and @import from the folder of the file', async (t) => {
  const { css } = await build(t, {
    'pages/page.tsx': "import s from '../components/deep/box.module.css'\nexport default () => [s.box]\n",
    'components/deep/box.module.css': "@import '../reset.css';\n.box { background: url(../dot.svg) }",
    'components/reset.css': 'body { margin: 3px }',
    'components/dot.svg': '<svg/>',
  })
  t.match(css, /url\(\.\/dot-[A-Z2-7]{8}\.svg\)/)
  t.match(css, 'margin:3px')
})

t.test('lets a plain stylesheet import a CSS module', async (t) => {
  const { css } = await build(t, {
    'pages/page.tsx': "import './all.css'\nexport default () => []\n",
    'pages/all.css': "@import './box.module.css';",
    'pages/box.module.css': '.box { color: red }',
  })
  t.match(css, /\.box_[A-Z2-7]{6}_box\{color:red\}/)
})

t.test(
  'picks up changes and fixes in a file that another composes from, when the same compiler is used again',
  async (t) => {
    const dir = createSite(t, {
      'pages/page.tsx': page("'a'"),
      'pages/page.module.css': ".a { composes: b from './b.module.css' }",
    })
    const options = {
      ...{ absWorkingDir: dir, bundle: true, metafile: true, outdir: dir, write: false, logLevel: 'silent' },
      entryPoints: ['pages/page.tsx'],
      plugins: [createCss(dir, 'browser', createCssCompiler(dir, []))],
    } as const satisfies BuildOptions
    const bundler = createBundler()
    t.teardown(() => bundler.dispose())
    t.notOk((await bundler.compile('', { ...options })).ok)
    for (const color of ['green', 'gold']) {
      writeFileSync(join(dir, 'pages', 'b.module.css'), `.b { color: ${color} }`)
      const outcome = await bundler.compile('', { ...options })
      const css = outcome.ok ? outcome.result.outputFiles.find(({ path }) => path.endsWith('.css'))?.text : ''
      t.match(css, new RegExp(`\\.b_\\w+_b \\{\\s*color: ${color};`))
    }
  },
)
