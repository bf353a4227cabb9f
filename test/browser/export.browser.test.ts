/// <reference lib="dom" />

// A site that `hydrant export` has written, as the nginx of docs/export.md serves it.

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { exportSite } from '../../scripts/export/export-site.ts'
import { CERTIFICATE, CERTIFICATE_KEY } from '../proxy/certificate.ts'
import { nginxMain } from '../proxy/documented.ts'
import { runProxy } from '../proxy/run-proxy.ts'
import { createSite } from '../scripts/create-site.ts'
import { NGINX } from '../tools.ts'
import { launchChromium } from './chromium.ts'

const page = (name: string) => `import { Suspense, use } from 'react'
import '../site.css'
export const prerender = true
function Late({ promise }) {
  return <i id="late">{use(promise)}</i>
}
export default function Page({ data }) {
  return <main><h1>${name} {data.big}</h1><Suspense fallback="wait"><Late promise={data.late} /></Suspense></main>
}
`
const load = (name: string) => `export const load = () => ({
  big: 2n ** 64n,
  late: new Promise((resolve) => setTimeout(resolve, 1, '${name} came late')),
})
`

const dir = createSite(t, {
  'site.css': 'h1 { color: rgb(1, 2, 3) }\n',
  'pages/layout.tsx': `import { useState } from 'react'
export default function Layout({ children }) {
  const [count, setCount] = useState(0)
  return (
    <html lang="en">
      <head><title>Exported</title></head>
      <body>
        <button onClick={() => setCount(count + 1)}>count: {count}</button>
        <a id="about" href="/about">about</a> <a id="old" href="/old">old</a> <a id="plain" href="/plain">plain</a> <a id="none" href="/none">none</a>
        {children}
      </body>
    </html>
  )
}
`,
  'pages/index.tsx': page('Home'),
  'pages/index.server.ts': load('home'),
  'pages/about.tsx': page('About'),
  'pages/about.server.ts': load('about'),
  'pages/old.tsx': 'export default () => null\n',
  'pages/old.server.ts':
    "import { redirect } from 'hydrant'\nexport const prerender = true\nexport const load = () => redirect('/about')\n",
  'pages/plain.tsx':
    'export const prerender = true\nexport const hydrate = false\nexport default function Plain() {\n  return <h1>Plain</h1>\n}\n',
  'pages/not-found.tsx': `import { useState } from 'react'
export default function NotFound() {
  const [name, setName] = useState('nobody')
  return <main><h1>There is no such page, {name}</h1><input onChange={(event) => setName(event.target.value)} /></main>
}
`,
})

const CERTIFICATES = 'ssl_certificate FOLDER/certificate.pem; ssl_certificate_key FOLDER/key.pem;'

t.test('an exported site is interactive behind nginx, and violates no policy', async (t) => {
  const { folder } = await exportSite({ dir, origin: 'https://example.com', inFolders: false })
  const [, recipe = ''] = /```nginx\n([\s\S]*?)```/.exec(readFileSync('docs/export.md', 'utf8')) ?? []
  const [port = 0] = await runProxy(t, 2, (own, [plain = 0, tls = 0]) => ({
    program: NGINX,
    words: ['-p', own, '-c', join(own, 'nginx.conf'), '-e', 'stderr'],
    files: {
      'nginx.conf': nginxMain(
        own,
        `include /etc/nginx/mime.types;\n${recipe}`
          .replace('listen 80;', `listen 127.0.0.1:${plain};`)
          .replace('/srv/my-site/export', folder)
          // Tells that nginx has started.
          .concat(`server { listen 127.0.0.1:${tls} ssl; ${CERTIFICATES.replaceAll('FOLDER', own)} return 200; }`),
      ),
      'certificate.pem': CERTIFICATE,
      'key.pem': CERTIFICATE_KEY,
    },
  }))
  const url = `http://127.0.0.1:${port}`
  const open = await (await launchChromium(t)).open({}, t)
  const messages: string[] = []
  const documents: string[] = []
  open.page.on('console', (message) => messages.push(message.text()))
  open.page.on('request', (request) => {
    if (request.isNavigationRequest()) documents.push(new URL(request.url()).pathname)
  })

  const kept: string[] = []
  open.page.on('response', (response) => {
    const isAsset = new URL(response.url()).pathname.startsWith('/_hydrant/assets/')
    if (!isAsset && response.headers()['cache-control'] !== 'no-cache') kept.push(response.url())
  })

  await open.goto(`${url}/`, 'load')
  await open.hydrated()
  t.equal(await open.read('h1'), `Home ${2n ** 64n}`)
  t.equal(await open.read('#late'), 'home came late')
  t.equal(
    await open.evaluate(() => getComputedStyle(document.querySelector('h1') as Element).color, null),
    'rgb(1, 2, 3)',
  )
  await open.click('button')
  await open.click('#about')
  await open.page.waitForURL(`${url}/about`)
  await open.hasText('#late', 'about came late')
  t.equal(await open.read('h1'), `About ${2n ** 64n}`)
  t.equal(await open.read('button'), 'count: 1', 'the layout keeps its state')
  t.strictSame(documents, ['/'])
  await open.page.goBack()
  await open.hasText('#late', 'home came late')
  await open.click('#old')
  await open.hasText('#late', 'about came late')
  t.equal(open.page.url(), `${url}/about`)
  t.strictSame(documents, ['/'])

  await open.click('#plain')
  await open.hasText('h1', 'Plain')
  t.strictSame(documents, ['/', '/plain'], 'a page without scripts is loaded as a document')
  await open.page.goBack()
  await open.hasText('#late', 'about came late')
  await open.goto(`${url}/old`, 'load')
  await open.page.waitForURL(`${url}/about`)
  await open.hasText('#late', 'about came late')
  t.strictSame(messages, [], 'neither an error nor a message of the policy')

  await open.goto(`${url}/none/at/all`, 'load')
  await open.hydrated()
  await open.fill('input', 'you')
  t.equal(await open.read('h1'), 'There is no such page, you')
  t.strictSame(open.errors, [])
  await open.click('#about')
  await open.hasText('#late', 'about came late')
  await open.click('#none')
  await open.hasText('h1', 'There is no such page')
  t.equal(documents.at(-1), '/none', 'the host decides about a link to an unknown page')

  rmSync(join(folder, '_hydrant/pages'), { recursive: true })
  await open.goto(`${url}/`, 'load')
  await open.hydrated()
  await open.click('#about')
  await open.hasText('#late', 'about came late')
  t.equal(documents.at(-1), '/about', 'without the file of a page, the browser loads its document')
  // Chromium itself reports each 404.
  t.strictSame(
    messages.filter((text) => !text.includes('status of 404')),
    [],
  )
  t.strictSame(kept, [], 'no browser keeps a page or its data of an old export')
})
