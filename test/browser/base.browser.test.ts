/// <reference lib="dom" />

// A site below a base: what every export of `hydrant/react` renders, on both sides, in production and in development.

import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import fastify from 'fastify'
import t, { type Test } from 'tap'
import hydrant from '../../src/server/index.ts'
import * as hydrantReact from '../../src/shared/react.ts'
import { createSite } from '../scripts/create-site.ts'
import { startCli } from '../scripts/run-cli.ts'
import { buildSharing } from '../shared-compression.ts'
import { launchChromium } from './chromium.ts'

/** What a page does with each export. The tags have a URL if the export makes one. */
const USES: Record<string, string> = {
  FailureBoundary: '<FailureBoundary><a href={href("/about")}>inside</a></FailureBoundary>',
  Image: '<Image src={photo} alt="" />',
  href: '<><a href={href("/")}>a</a><a href={href("/p/[id]", { id: 7 }, { search: { a: 1 } })}>b</a><a href={top}>c</a></>',
  prefetch: '<button onClick={() => prefetch(href("/about"))}>prefetch</button>',
  publicEnv: '<i>{typeof publicEnv}</i>',
  refresh: '<button onClick={() => refresh()}>refresh</button>',
  useNavigation: '<WithNavigation />',
  useSubmission: '<WithSubmissions />',
}

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
const FILES = {
  'photo.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>',
  'pages/index.tsx': `import { useEffect, useState } from 'react'
import { ${Object.keys(USES).join(', ')} } from 'hydrant/react'
import photo from '../photo.svg?image'
import { Wrapped } from 'wrapper'
import { Link as Linked } from 'linked-ui'
const top = href('/about')
function WithNavigation() {
  return <i>{JSON.stringify(useNavigation())}</i>
}
function WithSubmissions() {
  const forms = [useSubmission('/about'), useSubmission('/p/[id]', { id: 7 }), useSubmission('/'), useSubmission('/', {}, { search: { a: 1 } })]
  return forms.map(({ form }, index) => <form key={index} {...form} />)
}
function All() {
  return <>
    ${Object.entries(USES)
      .map(([name, jsx]) => `<div id="${name}">{${jsx}}</div>`)
      .join('\n    ')}
    <div><Wrapped /></div>
    <div><Linked /></div>
  </>
}
export default function Page({ data }) {
  const [isLater, setIsLater] = useState(false)
  useEffect(() => setIsLater(true), [])
  return <><main><All /></main><b>{data.mail}</b><b>{data.news}</b>{isLater && <section><All /></section>}</>
}
`,
  'pages/index.server.ts': `import { mail } from 'mails'
import { news } from 'news'
export const load = () => ({ mail: mail(), news: news() })
export const action = () => {}
`,
  'pages/about.tsx': 'export default () => <p>about</p>\n',
  'pages/about.server.ts': 'export const action = () => {}\n',
  'pages/p/[id].tsx': 'export default () => <p>product</p>\n',
  'pages/p/[id].server.ts': `import { notFound, redirect } from 'hydrant'
import { href } from 'hydrant/react'
export const load = ({ params }) => {
  if (params.id === 'none') notFound()
  if (params.id === 'throw') throw new Error('thrown on purpose')
  if (params.id === 'moved') redirect('/about')
  if (params.id === 'href') redirect(href('/about'))
  return {}
}
export const action = () => {}
`,
  'pages/not-found.tsx':
    "import { href } from 'hydrant/react'\nexport default () => <a href={href('/')}>{href('/about')}</a>\n",
  'pages/error.tsx':
    "import { href } from 'hydrant/react'\nexport default () => <a href={href('/')}>{href('/about')}</a>\n",
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
  const linked = Object.entries(LINKED).map(([name, text]) => [`../linked/${name}`, text] as const)
  const dir = createSite(t, { ...FILES, ...Object.fromEntries(linked) }, 'site')
  mkdirSync(join(dir, 'node_modules'), { recursive: true })
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
  const document = await text('/')
  t.match(document, `<b>${base}/about</b><b>${base}/p/1</b>`, 'the load has called packages')
  for (const path of ['/p/none', '/p/throw', '/nowhere'])
    t.match(await text(path), `<a href="${base}">${base}/about</a>`, path)
  for (const path of ['/p/moved', '/p/href']) {
    const { headers } = await fetch(origin + base + path, { redirect: 'manual' })
    t.equal(headers.get('location'), `${base}/about`, path)
  }

  const open = await chromium.open({}, t)
  await open.goto(`${origin}${base}/`, 'load')
  await open.hydrated()
  await open.shown('section')
  const inBrowser = await open.page.evaluate(urlsOf, { root: 'section', names: ATTRIBUTES })
  const hydrated = await open.page.evaluate(urlsOf, { root: 'main', names: ATTRIBUTES })
  t.strictSame(hydrated, inBrowser, 'the server has written what the browser renders')
  const wrong = inBrowser.filter((one) => !new RegExp(`=${base}(?:[/?]|$)`).test(one))
  t.strictSame(wrong, [], 'every URL has the base')
  t.equal(inBrowser.length, 15)
  t.strictSame(open.errors, [])
}

t.test('the page uses every export of hydrant/react', async (t) => {
  t.strictSame(Object.keys(USES).sort(), Object.keys(hydrantReact).sort())
})

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
