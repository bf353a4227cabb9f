import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createSourceMapper } from '../../../../src/server/failures/stacks/source-map.ts'
import { DIGEST_PATTERN } from '../../../digest-pattern.ts'
import { buildFiles, type Files, serve } from '../../served.ts'

const site: Files = {
  'pages/index.server.ts':
    "function outer() {\n  return inner()\n}\nfunction inner(): never {\n  throw new Error('broken')\n}\nexport function load() {\n  return outer()\n}\n",
  'pages/async.tsx': 'export default function Page() {\n  return <p>async</p>\n}\n',
  'pages/async.server.ts': `async function fail() {
  await null
  throw new Error('in a query')
}
const run = async (work: () => Promise<void>) => await work()
export async function load() {
  await run(async () => {
    await fail()
  })
}
`,
  // Functions with the same names: the bundle numbers one of each two.
  'pages/a.tsx':
    'export default function Page() {\n  return <p>{inner()}</p>\n}\nfunction inner() {\n  return outer()\n}\nfunction outer() {\n  return 1\n}\n',
  'pages/a.server.ts': 'export function load() {\n  return 1\n}\n',
  'pages/[id].tsx':
    "export default function Page() {\n  return <Price />\n}\nfunction Price(): never {\n  throw new Error('no price')\n}\n",
}

t.test('frames are mapped to the source, with the names of the source', async (t) => {
  const { get, failuresOf } = await serve(t, await buildFiles(t.testdir({}), site))
  const [failed] = failuresOf(await get('/'))
  t.strictSame(failed?.err?.stack.split('\n').slice(0, 4), [
    'Error: broken',
    '    at inner (pages/index.server.ts:5:9)',
    '    at outer (pages/index.server.ts:2:10)',
    '    at load (pages/index.server.ts:8:10)',
  ])
  const [called] = failuresOf(await get('/async'))
  t.strictSame(called?.err?.stack.match(/^.*pages.*$/gm), [
    '    at fail (pages/async.server.ts:3:9)',
    '    at async pages/async.server.ts:8:5',
    '    at async run (pages/async.server.ts:5:50)',
    '    at async load (pages/async.server.ts:7:3)',
  ])
  const [rendered] = failuresOf(await get('/5'))
  t.equal(rendered?.err?.stack.split('\n')[1], '    at Price (pages/[id].tsx:5:9)')
})

t.test('a missing or broken map leaves frames unchanged', async (t) => {
  const dir = await buildFiles(t.testdir({}), site)
  const kept = join(dir, '.hydrant/kept')
  const file = join(kept, readdirSync(kept).find((name) => name.endsWith('.map')) ?? '')
  const whole = readFileSync(file, 'utf8')
  const broken: (string | null)[] = [
    null,
    '',
    '{}',
    'null',
    '[]',
    '{"version":3}',
    '{"version":3,"sources":[null],"names":[],"mappings":"AAAA"}',
    whole.slice(0, whole.length / 2),
    whole.replace(/"mappings":\s*"[^"]*"/, '"mappings":"!!!"'),
  ]
  for (const map of broken) {
    if (map === null) rmSync(file)
    else writeFileSync(file, map)
    const { get, failuresOf } = await serve(t, dir)
    const response = await get('/')
    t.equal(response.statusCode, 500)
    t.match(response.headers['x-error-digest'], DIGEST_PATTERN)
    const [line, ...more] = failuresOf(response)
    t.strictSame(more, [])
    t.match(line?.err, { type: 'Error', message: 'broken', stack: /index\.mjs/ }, String(map).slice(0, 40))
  }
})

t.test('frames of other files, and lines that are not frames, stay unchanged', async (t) => {
  const dir = await buildFiles(t.testdir({}), site)
  const bundle = join(dir, '.hydrant/server/index.mjs')
  const map = createSourceMapper(dir, [{ path: bundle, findFile: () => bundle }]).mapFrame
  for (const frame of [
    '',
    'no frame',
    '    at async Promise.all (index 0)',
    '    at node:internal/process/task_queues:95:5',
    '    at native',
    '    at f (/elsewhere/a.js:1:2)',
    '    at f (file:///elsewhere/a.js?x#y:1:2)',
    '    at f (file:///%zz/a.js:1:2)',
    '    at new Function (<anonymous>)',
    '    at eval (eval at f (/a.js:1:2), <anonymous>:1:1)',
    `    at f (${bundle}:999999:1)`,
    `    at f (${'x'.repeat(10_000)}`,
  ]) {
    const mapped = map(frame)
    t.equal(mapped.text, frame, frame.slice(0, 60))
    t.notOk(mapped.frame?.isSite)
  }
})
