// `package.json` and the installed packages change while `hydrant dev` runs.

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { until } from '../until.ts'
import { createSite } from './create-site.ts'
import { startCli } from './run-cli.ts'

const MANIFEST = '{ "type": "module" }\n'

t.test('the site is served again when a package.json with a syntax error is mended', async (t) => {
  const files = { 'my site/package.json': MANIFEST, 'my site/pages/index.tsx': 'export default () => <p>page</p>\n' }
  const dir = join(createSite(t, files), 'my site')
  // esbuild reads the `package.json` of the working directory for each bundle.
  const dev = startCli(t, ['dev', '--host', '127.0.0.1', '--port', '0'], { cwd: dir })
  const [, shown, url = ''] = await dev.waitFor(/^Hydrant serves (.+) at (http:\S+)$/)
  t.equal(shown, dir)
  const get = () => fetch(url, { headers: { accept: 'text/html' } })
  await until(async () => (await get()).status === 200)

  writeFileSync(join(dir, 'package.json'), '{ "type": "module",\n')
  await dev.waitFor(/^Error \[HYD_BUILD_SYNTAX\]/)
  const broken = await get()
  t.equal(broken.status, 500)
  t.match(await broken.text(), 'location.reload()')
  writeFileSync(join(dir, 'package.json'), MANIFEST)
  await dev.waitFor(/^updated in .*\(package\.json\)$/)
  t.equal((await get()).status, 200)
  t.notMatch(dev.lines.join('\n'), 'outside of any request')
})

t.test('pages hydrate after an installation has removed the bundled packages', async (t) => {
  const dir = createSite(t, { 'pages/index.tsx': 'export default () => <p>page</p>\n' })
  const dev = startCli(t, ['dev', dir, '--host', '127.0.0.1', '--port', '0'])
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
  const html = await (await fetch(url, { headers: { accept: 'text/html' } })).text()
  const scripts = [...html.matchAll(/"(\/_hydrant\/assets\/(?:packages|chunk)-\w+\.js)"/g)].map(([, path = '']) => path)
  t.ok(scripts.length > 1)
  rmSync(join(dir, 'node_modules'), { recursive: true })
  for (const path of scripts) {
    const { status, headers } = await fetch(new URL(path, url))
    t.equal(status, 200, path)
    t.match(headers.get('cache-control'), 'immutable', 'its name changes with its content')
  }
})

t.test('an edit of the built ES module of a linked package is shown without a restart', async (t) => {
  const dir = createSite(
    t,
    {
      '../packages/built/package.json': '{ "name": "built", "type": "module", "exports": "./dist/index.js" }',
      '../packages/built/dist/index.js': "export const text = 'first'\n",
      'package.json': MANIFEST,
      'pages/index.tsx': "import { text } from 'built'\nexport default () => <p>{text}</p>\n",
    },
    'site',
  )
  mkdirSync(join(dir, 'node_modules'))
  symlinkSync('../../packages/built', join(dir, 'node_modules/built'))
  const dev = startCli(t, ['dev', dir, '--host', '127.0.0.1', '--port', '0'])
  const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
  const get = async () => await (await fetch(url, { headers: { accept: 'text/html' } })).text()
  await until(async () => (await get()).includes('<p>first</p>'))
  rmSync(join(dir, '../packages/built/dist'), { recursive: true })
  await dev.waitFor(/^Error \[HYD_BUILD_UNRESOLVED\] cannot find "built"/)
  await dev.waitFor(/^pages\/index\.tsx:1:22$/)
  mkdirSync(join(dir, '../packages/built/dist'))
  writeFileSync(join(dir, '../packages/built/dist/index.js'), "export const text = 'second'\n")
  await dev.waitFor(/^updated in .*packages\/built\/dist\/index\.js/)
  t.match(await get(), '<p>second</p>')
})
