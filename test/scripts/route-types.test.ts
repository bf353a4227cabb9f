import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createStructureReader } from '../../scripts/dev/engine/read-structure.ts'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'
import { EMPTY_REACT } from './empty-react.ts'
import { runHere } from './run-here.ts'

const page = 'export default () => null\n'
const FILE = 'hydrant-env.d.ts'

const files = {
  'pages/layout.tsx': page,
  'pages/(shop)/products/layout.tsx': page,
  'pages/(shop)/products/layout.server.ts': 'export const load = () => 1\n',
  'pages/(shop)/products/[id].tsx': page,
  'pages/(shop)/products/[id].server.ts': 'export const load = () => 1\n',
  "pages/it's/[...path].jsx": page,
  'public/avatar.svg': '<svg/>',
  'public/.well-known/security.txt': '',
  'public/[name].txt': '',
  'public/100%.txt': '',
  'public/50%25.txt': '',
  "pages/it's/[...path].server.js": 'export const load = () => 1\n',
}

const declarations = `// Written by \`hydrant types\`, \`hydrant dev\` and \`hydrant build\`. Do not edit.
// biome-ignore-all format: written by a program
// biome-ignore-all lint: written by a program
/* eslint-disable */

// prettier-ignore
export {}

// prettier-ignore
declare module 'hydrant/react' {
  interface Routes {
    '/': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/it\\'s/[...path]': {
      params: { path: string }
      layouts: ['/']
      // @ts-ignore
      server: typeof import('./pages/it\\'s/[...path].server.js')
    }
    '/products/[id]': {
      params: { id: string }
      layouts: ['/', '/(shop)/products']
      server: typeof import('./pages/(shop)/products/[id].server.ts')
    }
    '/.well-known/security.txt': unknown
    '/100%.txt': unknown
    '/avatar.svg': unknown
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: {}
    }
    '/(shop)/products': {
      params: {}
      layouts: ['/']
      server: typeof import('./pages/(shop)/products/layout.server.ts')
    }
  }
}
`

t.test('a build writes the types of the routes, only when they change', async (t) => {
  const dir = createSite(t, { ...EMPTY_REACT, ...files })
  const file = join(dir, FILE)
  await buildSharing({ dir })
  t.equal(readFileSync(file, 'utf8'), declarations)
  const { mtimeMs } = statSync(file)
  await buildSharing({ dir })
  t.equal(statSync(file).mtimeMs, mtimeMs)
  writeFileSync(join(dir, 'pages', 'about.tsx'), page)
  await buildSharing({ dir })
  t.match(readFileSync(file, 'utf8'), "'/about': {")
})

t.test('the types are current while a site does not build', async (t) => {
  const broken = 'export default (\n'
  for (const fail of [
    (dir: string): Promise<unknown> => buildSharing({ dir }),
    (dir: string): Promise<unknown> => createStructureReader(dir, join(dir, '.hydrant-dev-1'), () => '').read(),
  ]) {
    const dir = createSite(t, { 'pages/about.tsx': page, 'hydrant.config.ts': broken })
    await t.rejects(fail(dir), { code: 'HYD_BUILD_FAILED' })
    t.match(readFileSync(join(dir, FILE), 'utf8'), "'/about': {")
  }
})

t.test('`hydrant types` writes the same file, without building', async (t) => {
  const dir = createSite(t, { ...files, 'pages/broken.tsx': '<' })
  t.strictSame(await runHere(['types', dir]), {
    code: 0,
    stdout: `wrote the types of 4 pages to ${join(dir, FILE)}\n`,
    stderr: '',
  })
  const own = "    '/broken': {\n      params: {}\n      layouts: ['/']\n      server: {}\n    }\n"
  t.equal(readFileSync(join(dir, FILE), 'utf8').replace(own, ''), declarations)
  t.notOk(existsSync(join(dir, '.hydrant')))
})

t.test('the types have the public variables of every mode', async (t) => {
  const dir = createSite(t, {
    '.env': 'PUBLIC_B=1\nSECRET=1\n',
    '.env.production': 'PUBLIC_A=1\n',
    '.env.local': 'PUBLIC_B=2\n',
  })
  t.equal((await runHere(['types', dir])).code, 0)
  const text = readFileSync(join(dir, FILE), 'utf8')
  const expected =
    "\n  interface PublicEnv {\n    readonly 'PUBLIC_A': string\n    readonly 'PUBLIC_B': string\n  }\n}\n"
  t.ok(text.endsWith(expected), text)
})

t.test('a site without TypeScript gets no such file', async (t) => {
  const dir = createSite(t, {})
  const js = createSite(t, { 'js/pages/index.jsx': page })
  for (const [folder, expected] of [
    [dir, true],
    [join(js, 'js'), false],
  ] as const) {
    await buildSharing({ dir: folder })
    t.equal(existsSync(join(folder, FILE)), expected)
  }
  t.match(await runHere(['types', join(js, 'js')]), { code: 0, stdout: 'wrote no types: ' })
  t.notOk(existsSync(join(js, 'js', FILE)))
})

t.test('`hydrant types` reports the files whose names have a problem, and writes the other routes', async (t) => {
  const dir = createSite(t, { 'pages/[id.tsx': page, 'pages/orphan.server.ts': 'export {}\n' })
  const { code, stdout, stderr } = await runHere(['types', dir])
  t.equal(code, 1)
  t.equal(stdout, '')
  t.match(stderr, 'Error [HYD_BUILD_SEGMENT]')
  t.match(stderr, 'Error [HYD_BUILD_SERVER_ORPHAN]')
  t.match(readFileSync(join(dir, FILE), 'utf8'), "'/': {")
})

t.test('the layouts of two groups may have the same path', async (t) => {
  const dir = createSite(t, {
    'pages/(a)/x/layout.tsx': page,
    'pages/(a)/x/[id]/layout.tsx': page,
    'pages/(a)/x/[id]/(b)/one.tsx': page,
    'pages/(b)/x/layout.tsx': page,
    'pages/(b)/x/two.tsx': page,
  })
  t.equal((await runHere(['types', dir])).code, 0)
  const text = readFileSync(join(dir, FILE), 'utf8')
  const entry = (path: string) => new RegExp(`'${path.replace(/[()[\]]/g, '\\$&')}': \\{\n(.*)\n(.*)\n`).exec(text)
  t.match(entry('/x/[id]/one'), { 1: '      params: { id: string }', 2: "      layouts: ['/(a)/x', '/(a)/x/[id]']" })
  t.match(entry('/x/two'), { 1: '      params: {}', 2: "      layouts: ['/(b)/x']" })
  t.match(entry('/(a)/x/[id]'), { 1: '      params: { id: string }', 2: "      layouts: ['/(a)/x']" })
  t.match(entry('/(b)/x'), { 1: '      params: {}', 2: '      layouts: []' })
})
