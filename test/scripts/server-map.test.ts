// The fields of the server bundle's source map that lead a value without a stack to the source.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import t, { type Test } from 'tap'
import type { Position, ServerMapFields } from '../../src/server/failures/stacks/source-map-file.ts'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'
import { EMPTY_REACT } from './empty-react.ts'

async function build(t: Test, files: Record<string, string>) {
  const { folder } = await buildSharing({ dir: createSite(t, { ...EMPTY_REACT, ...files }) })
  const code = readFileSync(join(folder, 'server/index.mjs'), 'utf8')
  const map = JSON.parse(readFileSync(join(folder, 'server/index.mjs.map'), 'utf8'))
  const { x_hydrant_exports: exports = {}, x_hydrant_components: components = {} }: ServerMapFields = map
  const trace = new TraceMap(map)
  const placeOf = ([line, column]: Position) => {
    const found = originalPositionFor(trace, { line: line + 1, column })
    return `${found.source?.replace('../../', '')}:${found.line}`
  }
  return {
    code,
    /** `path:line` of each export of a file, by its name. */
    exportsOf: (file: string) =>
      Object.fromEntries(Object.entries(exports[file] ?? {}).map(([name, position]) => [name, placeOf(position)])),
    /** `path:line` of each component of that name. */
    componentsNamed: (name: string) => (components[name] ?? []).map(placeOf),
  }
}

const PAGE = `import { forwardRef, memo } from 'react'

const pattern = (text) => { if (text) {} /}{/.test(text); return \`\${text}}\` }
export default memo(forwardRef(function (props, ref) {
  return <p ref={ref}>{pattern('a')}</p>
}))
`

t.test('finds the exports of a file, however they are written', async (t) => {
  const built = await build(t, {
    'pages/index.tsx': PAGE,
    'pages/index.server.ts':
      "const create = () => ({ load() {} })\n\nexport const { load } = create()\nexport { action } from '../action.cjs'\n",
    'action.cjs': 'exports.action = () => {}\n',
    'pages/a.tsx': PAGE,
    'pages/a.server.ts': '\nexport const load = async () => {}\n\nexport async function action() {}\n',
    'pages/b.tsx': PAGE,
    'pages/b.server.ts': 'class Shop {\n  static load = () => 1\n}\nconst run = Shop.load\nexport { run as load }\n',
  })
  t.strictSame(built.exportsOf('pages/index.tsx'), { default: 'pages/index.tsx:4' })
  t.strictSame(built.exportsOf('pages/index.server.ts'), {
    load: 'pages/index.server.ts:3',
    action: 'pages/index.server.ts:4',
  })
  t.strictSame(built.exportsOf('pages/a.server.ts'), { load: 'pages/a.server.ts:2', action: 'pages/a.server.ts:4' })
  t.strictSame(built.exportsOf('pages/b.server.ts'), { load: 'pages/b.server.ts:4' })
})

t.test('contains no getters for exports whose names are certain', async (t) => {
  const built = await build(t, { 'pages/index.tsx': PAGE, 'pages/index.server.ts': 'export const load = () => 1\n' })
  t.notMatch(built.code, '__export(')
  t.strictSame(built.exportsOf('pages/index.server.ts'), { load: 'pages/index.server.ts:1' })
})

t.test('finds exports that are assigned after their declaration', async (t) => {
  const inner = 'export const other = () => {\n  let load\n  load = () => 1\n  return load\n}\n'
  const built = await build(t, {
    'other.ts': inner,
    'pages/index.tsx': "import { other } from '../other'\nexport default () => other()()\n",
    'pages/index.server.ts': `export let load, action
if (process.env.OTHER) load = () => 1
else load = () => 2
try {
  action = () => {}
} catch {}
`,
  })
  t.strictSame(built.exportsOf('pages/index.server.ts'), {
    load: 'pages/index.server.ts:2',
    action: 'pages/index.server.ts:5',
  })
})

t.test('finds the exports of a file that another one imports later', async (t) => {
  const other = 'export const other = () => {\n  const [Late, load] = [1, 2]\n  return Late + load\n}\n'
  const built = await build(t, {
    'other.ts': other,
    'pages/index.tsx':
      "import { other } from '../other'\nexport default function Page() { void import('./late'); return other() }\n",
    'pages/late.tsx': 'const first = 1, Late = () => <p>{first}</p>\nexport default Late\n',
    'pages/late.server.ts': '\n\nexport const load = () => {}, { action } = { action() {} }\n',
    'pages/user.tsx': PAGE,
    'pages/user.server.ts': "export const load = () => import('./late.server')\n",
  })
  t.strictSame(built.exportsOf('pages/late.tsx'), { default: 'pages/late.tsx:2' })
  t.strictSame(built.exportsOf('pages/late.server.ts'), {
    load: 'pages/late.server.ts:3',
    action: 'pages/late.server.ts:3',
  })
})

t.test('finds components in wrappers and by their display names', async (t) => {
  const built = await build(t, {
    'pages/index.tsx': `import * as React from 'react'
import Legacy from '../legacy.cjs'

const Price = React.memo(({ value }) => <b>{value}</b>)
const Plain = () => <i />
const Memo = React.memo(Plain)
Price.displayName = \`The Price\`
Plain.displayName = 'Plain "quoted"'
function shadow() {
  const Price = () => 1
  return Price
}
export default function Page() {
  return [<Price value={shadow()()} />, <Memo />, <Legacy />, <Later />]
}
let Later
Later = React.memo(() => null)
`,
    'legacy.cjs': 'module.exports = () => null\n',
  })
  t.strictSame(built.componentsNamed('The Price'), ['pages/index.tsx:4'])
  t.strictSame(built.componentsNamed('Plain "quoted"'), ['pages/index.tsx:5'])
  t.strictSame(built.componentsNamed('Memo'), ['pages/index.tsx:5'])
  t.strictSame(built.componentsNamed('Later'), ['pages/index.tsx:17'])
  t.strictSame(built.componentsNamed('Page'), ['pages/index.tsx:13'])
  t.match(built.code, '[Price, "Price"], [Memo, "Memo"], [Later, "Later"]].forEach')
})
