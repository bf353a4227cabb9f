// A process that was blocked, by any code that ran in it, finds that deadlines have expired meanwhile.

import t from 'tap'
import { marked, navigationHeaders } from './lines.ts'
import { buildFiles, JSON_ONLY, serve } from './served.ts'

const HOLD =
  'const hold = () => {\n  const until = performance.now() + 150\n  while (performance.now() < until);\n}\n' +
  "import { stat } from 'node:fs'\n"

const dir = await buildFiles(t.testdir({}), {
  'pages/load.tsx': 'export default function Page({ data }) {\n  return <p>{data.text}</p>\n}\n',
  'pages/load.server.ts': `${HOLD}export const load = () => new Promise((resolve) => {
  stat(process.execPath, () => resolve({ text: 'is there' }))
  hold()
})\n`,
  'pages/deferred.tsx':
    "import { Suspense, use } from 'react'\nfunction Part({ of }) {\n  return <b>{use(of)}</b>\n}\n" +
    "export default function Page({ data }) {\n  return <main><Suspense fallback='waits'><Part of={data.part} /></Suspense></main>\n}\n",
  'pages/deferred.server.ts': `${HOLD}export const load = () => {
  setImmediate(hold)
  return { part: new Promise((resolve) => setTimeout(resolve, 20, 'is there')) }
}\n`,
})
const deadlines = { loadMs: 60, renderMs: 60 }
const { get, log } = await serve(t, dir, { ledger: false, timeouts: deadlines })

t.test('data that was ready in time is not a failure', async (t) => {
  for (const path of ['/load', '/deferred']) {
    for (const headers of [undefined, JSON_ONLY]) {
      const { statusCode, body } = await get(path, headers)
      t.equal(statusCode, 200, path)
      t.match(body, 'is there')
    }
    const { body } = await get(marked(path), navigationHeaders(dir))
    t.match(body, 'is there')
  }
  t.strictSame(log.errors(), [])
})
