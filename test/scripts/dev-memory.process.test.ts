// Saves leave nothing in the memory of `hydrant dev`.

import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createSite } from './create-site.ts'
import { startCli } from './run-cli.ts'

// Counts texts in a heap snapshot, because the size of the heap varies by megabytes. A snapshot collects everything
// first, also V8's cache of compiled scripts, which `gc()` leaves.

/** A text that only the version of a module from this save contains. Its first eight characters are in messages. */
const markOf = (save: number) => `version-${save}-of-a-module`

interface Module {
  /** The page that runs the module. */
  page: string
  write(save: number): string
}

const MODULES: Readonly<Record<string, Module>> = {
  'lib/price.tsx': {
    page: '/',
    write: (save) => `const mark = '${markOf(save)}'\nexport const Price = () => <b>{mark.length}</b>\n`,
  },
  'pages/index.server.ts': {
    page: '/',
    write: (save) => `const mark = '${markOf(save)}'\nexport const load = () => mark.length\n`,
  },
  'lib/later.ts': {
    page: '/later',
    write: (save) => `export const mark = await Promise.resolve('${markOf(save)}')\n`,
  },
  'server.ts': {
    page: '/save',
    write: (save) => `import { getHeapSnapshot } from 'node:v8'
const mark = '${markOf(save)}'
export default async function server(app) {
  app.get('/save', async () => mark.slice(0, 8) + ${save})
  app.get('/heap', async () => {
    const found = new Set()
    let last = ''
    for await (const bytes of getHeapSnapshot()) {
      const text = last + bytes
      for (const [, save] of text.matchAll(/version-(\\d+)-of-a-module/g)) found.add(Number(save))
      last = text.slice(-100)
    }
    return [...found]
  })
}
`,
  },
}

/** The server keeps the last 50 replaced scripts, for the stacks of errors that are thrown late. */
const LATE_SAVES = 60
const ROUNDS = 25

t.test('memory and the folder of the dev server do not grow with the number of saves', async (t) => {
  const files = Object.entries(MODULES).map(([path, { write }]) => [path, write(0)])
  const dir = createSite(t, {
    ...Object.fromEntries(files),
    'pages/index.tsx': "import { Price } from '../lib/price.tsx'\nexport default () => <Price />\n",
    'pages/later.tsx': 'export default () => <p>page</p>\n',
    'pages/later.server.ts':
      "import { mark } from '../lib/later.ts'\nexport const load = () => {\n  throw new Error(mark.slice(0, 8))\n}\n",
  })
  // Without the options of the test, and without coverage, for which V8 keeps all scripts.
  const given = { node: [], env: { NODE_V8_COVERAGE: '' } }
  const dev = startCli(t, ['dev', dir, '--port', '0', '--host', '127.0.0.1'], given)
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
  const get = async (path: string) => (await fetch(new URL(path, url), { headers: { accept: 'text/html' } })).text()
  const countFiles = () => readdirSync(join(dir, `.hydrant-dev-${dev.pid}/server`)).length
  let save = 0
  let filesBefore = 0

  for (let round = 0; round < ROUNDS; round++) {
    for (const [path, { page, write }] of Object.entries(MODULES)) {
      save++
      writeFileSync(join(dir, path), write(save))
      await dev.waitFor(/^updated in/)
      await get(page)
    }
    if (save === LATE_SAVES) filesBefore = countFiles()
  }
  t.equal(await get('/save'), `version-${save}`)
  t.equal(countFiles(), filesBefore)
  // The route returns this type.
  const found = JSON.parse(await get('/heap')) as number[]
  t.ok(found.includes(save), 'the snapshot has the versions in use')
  const kept = found.filter((one) => one <= save - LATE_SAVES)
  t.ok(kept.length < ROUNDS / 5, `${kept.length} of ${save - LATE_SAVES} replaced versions are in memory: ${kept}`)
})
