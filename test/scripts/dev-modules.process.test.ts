// The modules of a site behave in development as in the bundle of production.

import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { createServer } from '../../src/server/index.ts'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'
import { DEV_CASES, PACKAGES } from './dev-cases.ts'
import { startCli } from './run-cli.ts'

const names = Object.keys(DEV_CASES)
const JSON_ONLY = { accept: 'application/json' }

function filesOf(name: string): Record<string, string> {
  const files = Object.entries(DEV_CASES[name] ?? {}).map(([path, text]) => [`lib/${name}/${path}`, text])
  return {
    ...Object.fromEntries(files),
    [`pages/${name}.tsx`]: 'export default () => <p>page</p>\n',
    [`pages/${name}.server.ts`]: `export { load } from '../lib/${name}/load.ts'\n`,
  }
}

t.test('modules behave as in the bundle of production', async (t) => {
  const dir = createSite(t, {
    'package.json': '{ "name": "fixture", "type": "module" }',
    'tsconfig.json': '{ "compilerOptions": { "experimentalDecorators": true, "paths": { "@lib/*": ["./lib/*"] } } }',
    'hydrant.config.ts':
      "export default { base: '/shop', esbuild: { alias: { renamed: './lib/paths/renamed.ts', 'other-name': 'common-package' } } }\n",
    ...PACKAGES,
    ...Object.assign({}, ...names.map(filesOf)),
  })
  const links = { 'linked-package': join(dir, 'packages/linked'), hydrant: resolve('.') }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(dir, 'node_modules', name))

  await buildSharing({ dir })
  const app = await createServer({ dir, logger: false })
  t.teardown(() => app.close())
  const dev = startCli(t, ['dev', dir, '--port', '0', '--host', '127.0.0.1'])
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
  for (const name of names) {
    const expected = await app.inject({ url: `/shop/${name}`, headers: JSON_ONLY })
    t.equal(expected.statusCode, 200, `${name} works in production`)
    const response = await fetch(`${url}/${name}`, { headers: JSON_ONLY })
    t.strictSame(await response.json(), expected.json(), name)
  }
})

t.test('in development, a worker and a page get no server code either', async (t) => {
  const dir = createSite(t, {
    'package.json': '{ "name": "fixture", "type": "module" }',
    'pages/index.tsx':
      "const start = () => new Worker(new URL('../workers/a.ts', import.meta.url), { type: 'module' })\nexport default () => <button onClick={start}>start</button>\n",
    'pages/keys.tsx': "import keys from '../keys.server.json'\nexport default () => <p>{keys.key}</p>\n",
    'workers/a.ts': "import { secret } from '../server'\npostMessage(secret)\n",
    'server.ts': "export const secret = 'secret'\nexport default async function server() {}\n",
    'keys.server.json': '{ "key": "secret" }',
  })
  const dev = startCli(t, ['dev', dir, '--port', '0', '--host', '127.0.0.1'])
  await dev.waitFor(/^Error \[HYD_BUILD_SERVER_IN_BROWSER\] browser code imports keys\.server\.json/)
  await dev.waitFor(/^Error \[HYD_BUILD_SERVER_IN_BROWSER\] browser code imports server\.ts/)
})
