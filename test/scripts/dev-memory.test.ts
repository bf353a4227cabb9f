// Saves leave nothing in the memory of `hydrant dev`.

import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createSite } from './create-site.ts'
import { startCli } from './run-cli.ts'

// A heap snapshot collects everything first, also V8's cache of compiled scripts, which `gc()` leaves.

/** A module that is kept by mistake weighs this many bytes at least. */
const WEIGHT = 200_000
const filler = (save: number) => `${save} ${'x'.repeat(WEIGHT)}`

const FILES: Record<string, (save: number) => string> = {
  'lib/price.tsx': (save) => `const filler = '${filler(save)}'\nexport const Price = () => <b>{filler.length}</b>\n`,
  'pages/index.server.ts': (save) =>
    `const filler = '${filler(save)}'\nexport const load = () => ({ save: ${save}, size: filler.length })\n`,
  'lib/later.ts': (save) => `export const filler = await Promise.resolve('${filler(save)}')\n`,
  'server.ts': (save) =>
    `import { getHeapSnapshot } from 'node:v8'\nconst filler = '${filler(save)}'\nexport default async function server(app) {\n  app.get('/save', async () => ${save} && filler.slice(0, 8))\n  app.get('/heap', async () => {\n    getHeapSnapshot().destroy()\n    return process.memoryUsage().heapUsed\n  })\n}\n`,
}

const ROUNDS = { warmUp: 30, measured: 30 }

t.test('memory and the folder of the dev server do not grow with the number of saves', async (t) => {
  const files = Object.entries(FILES).map(([path, write]) => [path, write(0)])
  const dir = createSite(t, {
    ...Object.fromEntries(files),
    'pages/index.tsx': "import { Price } from '../lib/price.tsx'\nexport default () => <Price />\n",
    'pages/later.tsx': 'export default () => <p>page</p>\n',
    'pages/later.server.ts':
      "import { filler } from '../lib/later.ts'\nexport const load = () => {\n  throw new Error(filler.slice(0, 8))\n}\n",
  })
  // Without the options of the test, which change what V8 keeps.
  const dev = startCli(t, ['dev', dir, '--port', '0', '--host', '127.0.0.1'], { node: [] })
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
  const get = async (path: string) => (await fetch(new URL(path, url), { headers: { accept: 'text/html' } })).text()
  let save = 0

  async function saveAll(rounds: number): Promise<{ heap: number; files: number }> {
    for (let round = 0; round < rounds; round++) {
      save++
      for (const [path, write] of Object.entries(FILES)) {
        writeFileSync(join(dir, path), write(save))
        await dev.waitFor(/^updated in/)
        for (const page of ['/', '/later', '/save']) await get(page)
      }
    }
    return { heap: Number(await get('/heap')), files: readdirSync(join(dir, '.hydrant-dev/server')).length }
  }

  const before = await saveAll(ROUNDS.warmUp)
  const after = await saveAll(ROUNDS.measured)
  t.match(await get('/save'), `${save} `)
  const kept = (after.heap - before.heap) / WEIGHT
  t.ok(kept < ROUNDS.measured / 4, `${kept.toFixed(1)} modules of ${ROUNDS.measured * 4} are kept`)
  t.equal(after.files, before.files)
})
