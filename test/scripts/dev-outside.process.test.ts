// Modules outside of a site's folder keep the site from being built or started when `hydrant dev` starts.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createSite } from './create-site.ts'
import { startCli } from './run-cli.ts'

const PLUGIN = "import { start } from '../src/api.ts'\nexport default async () => start()\n"
const WORKING = 'export const start = () => {}\n'

/** Starts a site whose plugin imports a module beside the site's folder. */
function startSite(t: Test, files: Record<string, string>) {
  const dir = createSite(t, { 'server.ts': PLUGIN, ...files }, 'site')
  const dev = startCli(t, ['dev', dir, '--host', '127.0.0.1', '--port', '0'])
  function write(path: string, text: string) {
    mkdirSync(join(dir, '../src'), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  return { dev, write }
}

t.test('notices that a tsconfig.json above the site has changed', async (t) => {
  const settings = (file: string) => JSON.stringify({ compilerOptions: { paths: { '@text': [`./site/lib/${file}`] } } })
  const { dev, write } = startSite(t, {
    'pages/index.tsx': 'export default ({ data }) => <p>{data}</p>\n',
    'pages/index.server.ts': "export { text as load } from '@text'\n",
    'lib/one.ts': "export const text = () => 'one'\n",
    'lib/two.ts': "export const text = () => 'two'\n",
    'server.ts': "import '@text'\nexport default async () => {}\n",
    '../tsconfig.json': settings('none.ts'),
  })
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
  const read = async () => (await fetch(url, { headers: { accept: 'application/json' } })).json()
  await dev.waitFor(/cannot find "@text"/)
  for (const text of ['one', 'two']) {
    write('../tsconfig.json', settings(`${text}.ts`))
    await dev.waitFor(/^updated in .*tsconfig\.json/)
    t.equal(await read(), text)
  }
})

t.test('notices that a missing module outside the site is written', async (t) => {
  const { dev, write } = startSite(t, {})
  await dev.waitFor(/cannot find "\.\.\/src\/api\.ts"/)
  write('../src/api.ts', "import { text } from './text.ts'\nexport const start = () => text\n")
  await dev.waitFor(/cannot find "\.\/text\.ts"/)
  write('../src/text.ts', "export const text = ''\n")
  await dev.waitFor(/^updated in .*src\/text\.ts/)
})

t.test('notices that a module outside the site is corrected', async (t) => {
  const { dev, write } = startSite(t, { '../src/api.ts': 'export const start = (\n' })
  await dev.waitFor(/^Error \[HYD_BUILD_SYNTAX\]/)
  write('../src/api.ts', "export const start = () => {\n  throw new Error('no database')\n}\n")
  await dev.waitFor(/no database/)
  write('../src/api.ts', WORKING)
  await dev.waitFor(/^updated in .*src\/api\.ts/)
})

t.test('notices that a module outside the site no longer throws', async (t) => {
  const { dev, write } = startSite(t, { '../src/api.ts': `throw new Error('no database')\n${WORKING}` })
  await dev.waitFor(/no database/)
  write('../src/api.ts', WORKING)
  await dev.waitFor(/^updated in .*src\/api\.ts/)
})
