// Errors that Hydrant's own functions and packages throw because of their caller lead to the caller.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readSqliteLedger } from '../../src/server/ledger/sqlite/sqlite-ledger.ts'
import { copyApp } from '../build-app.ts'
import { runHere } from '../scripts/run-here.ts'
import { type Files, serve, writeFiles } from '../server/served.ts'
import { buildSharing } from '../shared-compression.ts'

const PAGE = 'export default function Page() {\n  return <p>page</p>\n}\n'
const PACKAGE = 'function inner() {\n  throw new Error("inner")\n}\nexport function outer() {\n  return inner()\n}\n'
const callOf = (specifier: string, path: string) =>
  `import { outer } from '${specifier}'\nexport function load() {\n  return outer() // fails at ${path}\n}\n`

/** Packages, and pages that call them: other tests use the site without the packages. */
const PACKAGES: Files = {
  'pages/own/package.tsx': PAGE,
  'pages/own/package.server.ts': callOf('broken-package', '/own/package'),
  'pages/own/bundled.tsx': PAGE,
  'pages/own/bundled.server.ts': callOf('../../node_modules/bundled-package/index.ts', '/own/bundled'),
  'node_modules/broken-package/package.json': '{ "name": "broken-package", "type": "module", "main": "index.js" }',
  'node_modules/broken-package/index.js': PACKAGE,
  // TypeScript in this folder is bundled, because Node.js does not load it from there.
  'node_modules/bundled-package/index.ts': PACKAGE,
}

/** Returns the positions marked in the sources, by the paths that fail there. */
function listExpected(dir: string): Map<string, string> {
  const files = [...Object.keys(PACKAGES), 'server.ts', 'pages/own/component.tsx', 'pages/own/[call].server.ts']
  return new Map(
    files.flatMap((file) =>
      readFileSync(join(dir, file), 'utf8')
        .split('\n')
        .flatMap((text, index) => {
          const [, path] = / \/\/ fails at (.+)$/.exec(text) ?? []
          return path === undefined ? [] : [[path, `${file}:${index + 1}`] as const]
        }),
    ),
  )
}

t.test(
  'the first frame in the site counts in the ledger, its list and its code, and the log shows the whole stack',
  async (t) => {
    const dir = copyApp(t, 'failures')
    writeFiles(dir, PACKAGES)
    await buildSharing({ dir })
    const expected = listExpected(dir)
    t.equal(expected.size, 12)
    const { app, get, failuresOf } = await serve(t, dir, { ledger: 'own.db' })
    const digests = new Map<string, string>()
    for (const path of expected.keys()) {
      const response = await get(path)
      t.equal(response.statusCode, 500, path)
      digests.set(path, String(response.headers['x-error-digest']))
      const [line] = failuresOf(response)
      t.match(line?.err?.stack, `${expected.get(path)}:`, path)
      if (path === '/own/href')
        t.match(line?.err?.stack, /^TypeError: href.*\n {4}at href \(pages\/own\/\[call\]\.server\.ts:9/, path)
      if (path === '/own/package' || path === '/own/bundled')
        t.match(line?.err?.stack, /^Error: inner\n {4}at inner \(/, path)
    }
    await app.close()
    const ledger = await readSqliteLedger(join(dir, 'own.db'), {
      maxFailures: 100,
      maxOccurrences: 100,
      maxAgeMs: 1e9,
      maxBytes: 1e9,
    })
    t.teardown(() => ledger.close())
    const list = await ledger.list({ limit: 100 })
    for (const [path, place] of expected) {
      const fingerprint = String(digests.get(path)).slice(0, 8)
      const source = list.find((one) => one.fingerprint === fingerprint)?.source
      t.equal(`${source?.file}:${source?.line}`, place, path)
      const details = await ledger.read(fingerprint, { limit: 1 })
      const first = details?.error.stack.find(({ isSite }) => isSite)
      t.equal(`${first?.file}:${first?.line}`, place)
      const { firstLine = 0, lines = [] } = first?.code ?? {}
      const text = readFileSync(join(dir, first?.file ?? ''), 'utf8').split('\n')[(first?.line ?? 0) - 1]
      t.equal(lines[(first?.line ?? 0) - firstLine], text)
    }
    const printed = await runHere(['errors', String(digests.get('/own/href')), dir, '--ledger', join(dir, 'own.db')])
    t.match(printed.stdout, `${expected.get('/own/href')}:`)
    t.match(printed.stdout, '>  9 |     return href(')
  },
)
