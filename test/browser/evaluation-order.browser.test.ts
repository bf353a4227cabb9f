/// <reference lib="dom" />

// The order in which the modules of a site are evaluated. It is the same in every mode, so that what `server.ts` or a
// layout sets up is there for the others.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastify from 'fastify'
import t, { type Test } from 'tap'
import hydrant from '../../src/server/index.ts'
import { createSite } from '../scripts/create-site.ts'
import { runCli, startCli } from '../scripts/run-cli.ts'
import { launchChromium, type OpenPage } from './chromium.ts'

/** A module that notes its name. */
const note = (
  name: string,
  rest: string,
) => `import { order } from '${'../'.repeat(name.split('/').length - 1) || './'}lib/order'
order.push('${name}')
${rest}`
const PAGE = 'export default function Page() {\n  return <p>page</p>\n}\n'
const PARTS = 'export default function Layout({ children }) {\n  return <div>{children}</div>\n}\n'
const ROOT = `await null
export default function Layout({ children }) {
  return <html lang="en"><body>{children}<a href="/a/b/about">about</a></body></html>
}
`
const LOAD = 'export const load = () => ({})\n'

const FILES = {
  // The package of Hydrant, which has no side effects, is around the folder of the test.
  'package.json': '{ "name": "site", "type": "module" }',
  'lib/order.ts': 'export const order: string[] = (globalThis.evaluationOrder ??= [])\n',
  'hydrant.config.ts': note('hydrant.config', 'export default { ledger: false, csp: false }\n'),
  'instrument.ts': note('instrument', 'export {}\n'),
  'server.ts': `import type { FastifyInstance } from 'fastify'
import { name } from 'of-server'
import './instrument.ts'
import './lib/first.ts'
void name
${note('server', "export default async (app) => app.get('/order', () => order)\n")}`,
  // Packages, which are evaluated with the first module that imports them.
  ...Object.fromEntries(
    ['of-server', 'of-page'].flatMap((name) => [
      [`node_modules/${name}/package.json`, JSON.stringify({ name, type: 'module', exports: './index.js' })],
      [
        `node_modules/${name}/index.js`,
        `globalThis.evaluationOrder?.push('${name}')\nexport const name = '${name}'\nexport default name\n`,
      ],
    ]),
  ),
  // The page imports it, too.
  'lib/first.ts': note('lib/first', 'export {}\n'),
  'lib/of-layout.ts': note('lib/of-layout', 'export {}\n'),
  'pages/layout.tsx': `import '../lib/of-layout'\n${note('pages/layout', ROOT)}`,
  'pages/layout.server.ts': note('pages/layout.server', LOAD),
  'pages/a/layout.tsx': note('pages/a/layout', PARTS),
  'pages/a/b/layout.tsx': note('pages/a/b/layout', PARTS),
  'pages/a/b/layout.server.ts': note('pages/a/b/layout.server', LOAD),
  'pages/a/b/about.tsx': `import '../../../lib/of-layout'\n${note('pages/a/b/about', PAGE)}`,
  'pages/a/b/about.server.ts': `import name from 'of-page'\nvoid name\n${note('pages/a/b/about.server', LOAD)}`,
  'pages/index.tsx': note('pages/index', PAGE),
}

const ON_SERVER = [
  'hydrant.config',
  // The packages that `server.ts` itself imports.
  'of-server',
  'instrument',
  'lib/first',
  'server',
  'pages/layout.server',
  'lib/of-layout',
  'pages/layout',
  'pages/a/layout',
  'pages/a/b/layout.server',
  'pages/a/b/layout',
  'of-page',
  'pages/a/b/about.server',
  'pages/a/b/about',
]
const IN_BROWSER = ON_SERVER.slice(6).filter((name) => !/\.server$|^of-/.test(name))

const chromium = await launchChromium(t)
const built = createSite(t, FILES)
await runCli(['build', built], { node: [] })

/** Returns the modules that a site has evaluated on the server for one page. */
async function orderOnServer(origin: string): Promise<string[]> {
  await (await fetch(`${origin}/a/b/about`)).text()
  const response = await fetch(`${origin}/order`)
  const order = (await response.json()) as string[]
  return order.filter((name) => name !== 'pages/index')
}

async function checkBrowser(t: Test, origin: string, hold: (open: OpenPage) => Promise<void>) {
  const open = await chromium.open({}, t)
  const order = () => open.page.evaluate(() => (globalThis as unknown as { evaluationOrder: string[] }).evaluationOrder)
  await hold(open)
  await open.goto(`${origin}/a/b/about`, 'load')
  await open.hydrated()
  t.strictSame(await order(), IN_BROWSER, 'a document')
  await open.goto(`${origin}/`, 'load')
  await open.hydrated()
  await open.click('a')
  await open.page.waitForURL('**/a/b/about')
  await open.hasText('div div p', 'page')
  const expected = ['lib/of-layout', 'pages/layout', 'pages/index', ...IN_BROWSER.slice(2)]
  t.strictSame(await order(), expected, 'a navigation')
}

/** Makes the scripts of layouts arrive after that of the page. */
async function holdLayouts({ page }: OpenPage) {
  const { modules } = JSON.parse(readFileSync(join(built, '.hydrant/manifest.json'), 'utf8'))
  const scriptOf = (file: string) => `**/${modules[file].js}`
  for (const file of ['pages/layout.tsx', 'pages/a/layout.tsx', 'pages/a/b/layout.tsx']) {
    await page.route(scriptOf(file), async (route) => {
      const isAbout = page.url().endsWith('/about') || file !== 'pages/layout.tsx'
      if (isAbout) await arrived
      await route.continue()
    })
  }
  const arrived = page.waitForEvent('requestfinished', (request) =>
    request.url().endsWith(modules['pages/a/b/about.tsx'].js),
  )
}

t.test('in production', async (t) => {
  const server = startCli(t, ['start', built, '--port', '0', '--host', '127.0.0.1'])
  const [origin = ''] = await server.waitFor(/http:\/\/127\.0\.0\.1:\d+/)
  t.strictSame(await orderOnServer(origin), ON_SERVER)
  await checkBrowser(t, origin, holdLayouts)
})

t.test('in development', async (t) => {
  const dev = startCli(t, ['dev', createSite(t, FILES), '--port', '0', '--host', '127.0.0.1'])
  const [, origin = ''] = await dev.waitFor(/ at (http:\/\/[^/\s]+)/)
  t.strictSame(await orderOnServer(origin), ON_SERVER)
  await checkBrowser(t, origin, async () => {})
})

t.test('in an existing app', async (t) => {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(hydrant, { dir: built })
  t.strictSame(await orderOnServer(await app.listen({ port: 0, host: '127.0.0.1' })), ON_SERVER)
})
