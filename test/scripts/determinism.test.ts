import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import t from 'tap'
import { applyNames, nameByContent } from '../../scripts/build/output/read-client-output.ts'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'
import { EMPTY_REACT } from './empty-react.ts'
import { walk } from './walk.ts'

// After the module that replaces the compression of its other builds.
const { buildSite } = await import('../../scripts/build/build-site.ts')

const site = {
  'pages/layout.tsx':
    "import './layout.css'\nexport default ({ children }) => <html lang='en'><body>{children}</body></html>\n",
  'pages/layout.css': 'body { margin: 0; background: url(./dot.png) }',
  'pages/dot.png': 'dot',
  'pages/index.tsx':
    "import { lazy } from 'react'\nimport { FailureBoundary } from 'hydrant/react'\nimport s from '../components/box.module.css'\nconst Later = lazy(() => import('../components/later'))\nexport default () => <FailureBoundary><p className={s.box}><Later /></p></FailureBoundary>\n",
  'pages/[id].tsx': "import s from '../components/box.module.css'\nexport default () => <p className={s.box} />\n",
  'pages/[id].server.ts': 'export const load = () => 1\n',
  'components/box.module.css': '.box { color: red }',
  'components/later.tsx': "import dot from '../pages/dot.png'\nexport default () => <img src={dot} alt='' />\n",
  'public/a.txt': 'a',
  'hydrant.config.ts': "export default { base: '/shop' }\n",
}

t.test('builds the same in every folder, at any depth', async (t) => {
  const one = createSite(t, site, 'one')
  const two = resolve(one, '..', 'a', 'much', 'deeper', 'folder')
  cpSync(one, two, { recursive: true })
  // Its packages are in another relative position too.
  mkdirSync(join(two, 'node_modules'))
  for (const name of ['react', 'react-dom']) {
    symlinkSync(resolve('node_modules', name), join(two, 'node_modules', name))
  }
  const [first, second] = [await buildSite({ dir: one }), await buildSite({ dir: two })]
  t.strictSame(second.manifest, first.manifest)
  // Maps contain the paths to packages outside the site.
  const files = walk(first.folder).filter((file) => !file.endsWith('.map'))
  t.strictSame(
    walk(second.folder).filter((file) => !file.endsWith('.map')),
    files,
  )
  const differs = (file: string) =>
    !readFileSync(join(first.folder, file)).equals(readFileSync(join(second.folder, file)))
  t.strictSame(files.filter(differs), [])
})

t.test('changes the build’s id with everything that it serves', async (t) => {
  const dir = createSite(t, { ...EMPTY_REACT, ...site })
  const buildId = async () => (await buildSharing({ dir })).manifest.buildId
  const ids = [await buildId()]
  for (const [file, contents] of [
    ['public/a.txt', 'b'],
    ['pages/[id].server.ts', 'export const load = () => 2\n'],
    ['pages/layout.css', 'body { margin: 1px }'],
    ['hydrant.config.ts', "export default { base: '/other' }\n"],
    ['components/later.tsx', 'export default () => null\n'],
  ] as const) {
    mkdirSync(dirname(join(dir, file)), { recursive: true })
    writeFileSync(join(dir, file), contents)
    ids.push(await buildId())
  }
  t.equal(new Set(ids).size, ids.length)
})

t.test('keeps the names of files that a change does not affect', async (t) => {
  const dir = createSite(t, {
    ...EMPTY_REACT,
    'pages/a.tsx': 'export default () => <p>a</p>\n',
    'pages/b.tsx': 'export default () => <p>b</p>\n',
  })
  const before = (await buildSharing({ dir })).manifest
  writeFileSync(join(dir, 'pages', 'a.tsx'), 'export default () => <p>changed</p>\n')
  const after = (await buildSharing({ dir })).manifest
  t.not(after.modules['pages/a.tsx']?.js, before.modules['pages/a.tsx']?.js)
  t.strictSame(after.modules['pages/b.tsx'], before.modules['pages/b.tsx'])
  t.equal(after.entry, before.entry)
})

t.test('gives one stylesheet to pages whose styles are the same', async (t) => {
  const page = "import '../shared.css'\nexport default () => null\n"
  const dir = createSite(t, {
    ...EMPTY_REACT,
    'pages/a.tsx': page,
    'pages/b.tsx': page,
    'shared.css': 'body { margin: 0 }',
  })
  const { manifest } = await buildSharing({ dir })
  t.equal(manifest.modules['pages/a.tsx']?.css.length, 1)
  t.strictSame(manifest.modules['pages/b.tsx']?.css, manifest.modules['pages/a.tsx']?.css)
})

t.test('names of scripts and stylesheets do not contain those of their sources', async (t) => {
  const page = 'export default function Page() {\n  return <p>page</p>\n}\n'
  const dir = createSite(t, {
    ...EMPTY_REACT,
    'parts/ad-banner.tsx': `import './ad-banner.css'\n${page}`,
    'parts/analytics.tsx': page,
    'parts/ad.css': 'p { color: red }',
    'parts/ad-banner.css': 'p { color: blue }',
    'pages/ads/index.tsx': `import '../../parts/ad.css'\n${page}export const part = () => import('../../parts/ad-banner.tsx')\n`,
    'pages/ads/tracking.tsx':
      "const parts = [import('../../parts/ad-banner.tsx'), import('../../parts/analytics.tsx')]\nexport default () => <p>{parts.length}</p>\n",
    'pages/equal.tsx': page,
    'pages/same.tsx': page,
  })
  const { manifest } = await buildSharing({ dir })
  const scripts = manifest.clientFiles.filter((name) => !name.endsWith('.LEGAL.txt'))
  t.strictSame(
    scripts.filter((name) => !/^[A-Z2-7]{8}\.(?:js|css)$/.test(name)),
    [],
  )
  t.ok(scripts.length > 6)
  t.not(manifest.modules['pages/equal.tsx']?.js, manifest.modules['pages/same.tsx']?.js, 'each page has its own')
})

t.test('derives the names of files only from their content', async (t) => {
  const files = (a: string, b: string, shared: string) => [
    {
      name: `one-${a}.js`,
      text: `import"./two-${b}.js";import"./shared-${shared}.js"`,
      references: [`two-${b}.js`, `shared-${shared}.js`],
    },
    { name: `two-${b}.js`, text: `import("./one-${a}.js")`, references: [`one-${a}.js`] },
    { name: `shared-${shared}.js`, text: 'export{}', references: [] },
  ]
  const first = files('AAAAAAAA', 'BBBBBBBB', 'CCCCCCCC')
  const second = files('DDDDDDDD', 'EEEEEEEE', 'FFFFFFFF')
  const names = (list: typeof first) => [...nameByContent(list).values()]
  t.strictSame(names(second), names(first))
  t.match(names(first)[0], /^one-[A-Z2-7]{8}\.js$/)
  const [one] = first
  if (!one) throw new Error('There are three files.')
  t.equal(
    applyNames(one, nameByContent(first)),
    `import"./${nameByContent(first).get('two-BBBBBBBB.js')}";import"./${nameByContent(first).get('shared-CCCCCCCC.js')}"`,
  )

  const swapped = first.map((file) =>
    file.name.startsWith('one') ? { ...file, text: `import"./shared-CCCCCCCC.js";import"./two-BBBBBBBB.js"` } : file,
  )
  t.not(nameByContent(swapped).get('one-AAAAAAAA.js'), nameByContent(first).get('one-AAAAAAAA.js'))
  const changed = first.map((file) => (file.name.startsWith('shared') ? { ...file, text: 'export{x}' } : file))
  t.not(nameByContent(changed).get('two-BBBBBBBB.js'), nameByContent(first).get('two-BBBBBBBB.js'), 'through a circle')
})
