/// <reference lib="dom" />

// A site below a base: what every export of `hydrant/react` renders, on both sides, in production and in development.

import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import fastify from 'fastify'
import t, { type Test } from 'tap'
import hydrant from '../../src/server/index.ts'
import * as hydrantReact from '../../src/shared/react.ts'
import { copyApp } from '../build-app.ts'
import { startCli } from '../scripts/run-cli.ts'
import { writeFiles } from '../server/served.ts'
import { buildSharing } from '../shared-compression.ts'
import { launchChromium } from './chromium.ts'

const manifest = (name: string, fields: object = {}) =>
  JSON.stringify({ name, version: '1.0.0', type: 'module', exports: './index.js', ...fields })
const link = (name: string) => `import { createElement } from 'react'
import { href, useSubmission } from 'hydrant/react'
const top = href('/about')
export function Link() {
  const { form } = useSubmission('/about')
  return createElement('form', form, createElement('a', { href: top }, '${name}'), createElement('a', { href: href('/') }))
}
`
/** Packages, and the page that uses them. They are text, because the folder of packages is not part of the repository. */
const PACKAGES = {
  'pages/packages.tsx': `import { Wrapped } from 'wrapper'
import { Link } from 'linked-ui'
import { Twice } from '../components/twice.tsx'
export default function Page({ data }) {
  return <><Twice><div><Wrapped /></div><div><Link /></div></Twice><b>{data.mail}</b><b>{data.news}</b></>
}
`,
  'pages/packages.server.ts': `import { mail } from 'mails'
import { news } from 'news'
export const load = () => ({ mail: mail(), news: news() })
`,
  // A package that imports hydrant/react, also through a module of its own, and one that only imports that package.
  'node_modules/ui/package.json': manifest('ui'),
  'node_modules/ui/index.js': "export { Link } from './link.js'\n",
  'node_modules/ui/link.js': link('ui'),
  'node_modules/wrapper/package.json': manifest('wrapper'),
  'node_modules/wrapper/index.js': `import { createElement } from 'react'
import { Link } from 'ui'
export const Wrapped = () => createElement("div", null, createElement(Link))
`,
  // Packages that only the server imports. One of them cannot be required.
  'node_modules/mails/package.json': manifest('mails', {
    exports: undefined,
    main: 'index.js',
    peerDependencies: { hydrant: '*' },
  }),
  'node_modules/mails/index.js': "export { mail } from './mail.js'\n",
  'node_modules/mails/mail.js': "import { href } from 'hydrant/react'\nexport const mail = () => href('/about')\n",
  'node_modules/news/package.json': manifest('news', {
    exports: { '.': { import: './index.js' } },
    dependencies: { hydrant: '*' },
  }),
  'node_modules/news/index.js':
    "import { href } from 'hydrant/react'\nexport const news = () => href('/p/[id]', { id: 1 })\n",
}

const LINKED = {
  'package.json': manifest('linked-ui'),
  'index.js': "export { Link } from './link.js'\n",
  'link.js': link('linked'),
}

function writeSite(t: Test): string {
  const folder = t.testdir({})
  const dir = join(folder, 'site')
  copyApp({ testdir: () => dir }, 'addresses')
  writeFiles(dir, PACKAGES)
  writeFiles(join(folder, 'linked'), LINKED)
  symlinkSync('../../linked', join(dir, 'node_modules/linked-ui'))
  return dir
}

const ATTRIBUTES = ['action', 'href', 'src', 'srcset']

/** Returns the URLs in the elements of a part of the page, in their order. */
const urlsOf = ({ root, names }: { root: string; names: string[] }) =>
  [...document.querySelectorAll(`${root} *`)].flatMap((element) =>
    names.flatMap((name) => (element.hasAttribute(name) ? [`${name}=${element.getAttribute(name)}`] : [])),
  )

const chromium = await launchChromium(t)

async function checkPages(t: Test, origin: string, base: string) {
  const text = async (path: string) => (await fetch(origin + base + path)).text()
  t.match(await text('/packages'), `<b>${base}/about</b><b>${base}/p/1</b>`, 'the load has called packages')
  const wrong: string[] = []
  for (const path of ['/p/none', '/p/throw', '/nowhere'])
    if (!(await text(path)).includes(`<a href="${base}">${base}/about</a>`)) wrong.push(path)
  for (const path of ['/p/moved', '/p/href']) {
    const { headers } = await fetch(origin + base + path, { redirect: 'manual' })
    if (headers.get('location') !== `${base}/about`) wrong.push(path)
  }
  t.strictSame(wrong, [], 'the page of a failure, and redirects')

  const open = await chromium.open({}, t)
  for (const { path, count } of [
    { path: '/', count: 9 },
    { path: '/packages', count: 6 },
  ]) {
    await open.goto(`${origin}${base}${path}`, 'load')
    await open.hydrated()
    await open.shown('section')
    const inBrowser = await open.page.evaluate(urlsOf, { root: 'section', names: ATTRIBUTES })
    const hydrated = await open.page.evaluate(urlsOf, { root: 'main', names: ATTRIBUTES })
    t.strictSame(hydrated, inBrowser, 'the server has written what the browser renders')
    const outside = inBrowser.filter((one) => !new RegExp(`=${base}(?:[/?]|$)`).test(one))
    t.strictSame(outside, [], 'every URL has the base')
    t.equal(inBrowser.length, count)
  }
  await open.goto(`${origin}${base}/`, 'load')
  const names = await open.page.locator('main > div').evaluateAll((all) => all.map(({ id }) => id))
  t.strictSame(names.sort(), Object.keys(hydrantReact).sort(), 'the page uses every export')
  t.strictSame(open.errors, [])
}

t.test('in production, also when two sites with different bases share the process', async (t) => {
  const dir = writeSite(t)
  await buildSharing({ dir })
  const app = fastify()
  t.teardown(() => app.close())
  for (const base of ['/shop', '/a/b']) await app.register(hydrant, { dir, base, ledger: false })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  for (const base of ['/shop', '/a/b']) await t.test(base, (t) => checkPages(t, origin, base))
})

t.test('in development', async (t) => {
  const dev = startCli(t, ['dev', writeSite(t), '--port', '0', '--host', '127.0.0.1'], {
    env: { HYDRANT_BASE: '/shop' },
  })
  const [, origin = ''] = await dev.waitFor(/ at (http:\/\/[^/\s]+)/)
  await checkPages(t, origin, '/shop')
})
