// Errors that Hydrant's own functions and packages throw because of their caller lead to the caller.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readSqliteLedger } from '../../src/server/ledger/sqlite/sqlite-ledger.ts'
import { runHere } from '../scripts/run-here.ts'
import { buildFiles, type Files, serve } from '../server/served.ts'

const page = 'export default function Page() {\n  return <p>page</p>\n}\n'

/** Loads with a wrong call, in a line that ends with `// fails`. */
const LOADS: Record<string, string> = {
  href: "import { href } from 'hydrant/react'\nexport function load() {\n  return href('/[id]', {}) // fails\n}\n",
  'href-object':
    "import { href } from 'hydrant/react'\nexport const load = () =>\n  href('/[id]', { id: { a: 1 } }) // fails\n",
  'redirect-status': "import { redirect } from 'hydrant'\nexport function load() {\n  redirect('/', 200) // fails\n}\n",
  'http-error':
    "import { HttpError } from 'hydrant'\nexport function load() {\n  throw new HttpError(500, 'x') // fails\n}\n",
  'create-server':
    "import { createServer } from 'hydrant'\nexport async function load() {\n  await createServer({ dir: '' }) // fails\n}\n",
  'parse-digest':
    "import { parseDigest } from 'hydrant'\nexport function load() {\n  return parseDigest(1) // fails\n}\n",
  hook: "import { useNavigation } from 'hydrant/react'\nexport function load() {\n  return useNavigation() // fails\n}\n",
  package: "import { outer } from 'broken-package'\nexport function load() {\n  return outer() // fails\n}\n",
  bundled:
    "import { outer } from '../node_modules/bundled-package/index.ts'\nexport function load() {\n  return outer() // fails\n}\n",
  react: "import { cloneElement } from 'react'\nexport function load() {\n  return cloneElement(null) // fails\n}\n",
}
const PACKAGE = 'function inner() {\n  throw new Error("inner")\n}\nexport function outer() {\n  return inner()\n}\n'

const files: Files = {
  'pages/component.tsx':
    "import { href } from 'hydrant/react'\nexport default function Page() {\n  return <a href={href('/[id]', { id: '' })}>x</a> // fails\n}\n",
  'server.ts':
    "import { href } from 'hydrant/react'\nexport default async function server(app) {\n  app.get('/route', async () => {\n    return href('/[id]', { id: '' }) // fails\n  })\n}\n",
  'node_modules/broken-package/package.json': '{ "name": "broken-package", "type": "module", "main": "index.js" }',
  'node_modules/broken-package/index.js': PACKAGE,
  // TypeScript in this folder is bundled, because Node.js does not load it from there.
  'node_modules/bundled-package/index.ts': PACKAGE,
}
for (const [name, source] of Object.entries(LOADS)) {
  files[`pages/${name}.tsx`] = page
  files[`pages/${name}.server.ts`] = source
}

/** Returns the positions marked in the sources, by the paths that fail there. */
const EXPECTED = new Map(
  Object.entries(files).flatMap(([file, source]) => {
    const line =
      String(source)
        .split('\n')
        .findIndex((text) => text.endsWith('// fails')) + 1
    if (line === 0) return []
    const path = file === 'server.ts' ? '/route' : file.replace(/^pages/, '').replace(/(\.server)?\.tsx?$/, '')
    return [[path, `${file}:${line}`] as const]
  }),
)

t.test(
  'the first frame in the site counts in the ledger, its list and its code, and the log shows the whole stack',
  async (t) => {
    const dir = await buildFiles(t.testdir({}), files)
    const { app, get, failuresOf } = await serve(t, dir, { ledger: 'own.db' })
    const digests = new Map<string, string>()
    for (const path of EXPECTED.keys()) {
      const response = await get(path)
      t.equal(response.statusCode, 500, path)
      digests.set(path, String(response.headers['x-error-digest']))
      const [line] = failuresOf(response)
      t.match(line?.err?.stack, `${EXPECTED.get(path)}:`, path)
      if (path === '/href')
        t.match(line?.err?.stack, /^TypeError: href.*\n {4}at load \(pages\/href\.server\.ts:3/, path)
      if (path === '/package' || path === '/bundled') t.match(line?.err?.stack, /^Error: inner\n {4}at inner \(/, path)
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
    for (const [path, place] of EXPECTED) {
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
    const printed = await runHere(['errors', String(digests.get('/href')), dir, '--ledger', join(dir, 'own.db')])
    t.match(printed.stdout, `${EXPECTED.get('/href')}:`)
    t.match(printed.stdout, '> 3 |   return href(')
  },
)
