/// <reference lib="dom" />

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { startNginx } from '../proxy/nginx.ts'
import { startSite } from '../site-server.ts'
import { launchChromium, type OpenPage, PUBLIC_HOST } from './chromium.ts'

const dir = await buildApp(t, 'fields')
const site = await startSite(t, { dir })
const chromium = await launchChromium(t)
const origin = `http://127.0.0.1:${site.port}`

/** Sends the form without JavaScript. Resolves when the response is there. */
async function send({ page }: OpenPage) {
  await Promise.all([page.waitForEvent('load'), page.locator('#send').click()])
}

/** Sends the form. Resolves when the response shows that text. */
async function sendFor(open: OpenPage, javaScript: boolean, text: string) {
  if (!javaScript) return send(open)
  await open.click('#send')
  await open.hasText('main', text)
}

for (const javaScript of [true, false]) {
  t.test(`a form ${javaScript ? 'with' : 'without'} JavaScript`, async (t) => {
    const open = await chromium.open({ javaScript }, t)
    await open.goto(`${origin}/notes`, 'load')
    if (javaScript) await open.hydrated()
    await sendFor(open, javaScript, 'Write something.')
    t.equal(await open.read('#problem'), 'Write something.', 'the page shows what the action returned')
    if (javaScript) {
      t.same(open.errors, [], 'and the browser renders the same')
      await open.click('#counter')
      await open.hasText('#counter', '1')
    }
    const text = javaScript ? 'scripted 漢字' : 'plain 漢字'
    if (javaScript) await open.fill('[name=text]', text)
    else await open.fill('[name=text]', text)
    await sendFor(open, javaScript, text)
    t.match(await open.read('ul'), text)
    t.equal(new URL(open.page.url()).pathname, '/notes')
  })

  t.test(`a file ${javaScript ? 'with' : 'without'} JavaScript`, async (t) => {
    const open = await chromium.open({ javaScript }, t)
    await open.goto(`${origin}/notes?multipart`, 'load')
    if (javaScript) await open.hydrated()
    await sendFor(open, javaScript, 'Write something.')
    t.equal(await open.read('#problem'), 'Write something.', 'an input that was left empty does no harm')
    await open.fill('[name=text]', `${javaScript} with a file`)
    const file = { name: 'é "q".txt', mimeType: 'text/plain', buffer: Buffer.from('content') }
    await open.page.locator('[name=file]').setInputFiles(file)
    await sendFor(open, javaScript, `${javaScript} with a file: é "q".txt content`)
    t.match(await open.read('ul'), `${javaScript} with a file: é "q".txt content`)
  })
}

t.test('a form of another site is refused, and one of the site itself passes behind TLS', async (t) => {
  const nginx = await startNginx(t, site.port)
  const open = await chromium.open({ javaScript: false }, t)
  const own = `https://${PUBLIC_HOST}:${nginx.tlsPort}`
  await open.goto(`${own}/notes`, 'load')
  await open.fill('[name=text]', 'through TLS')
  await send(open)
  t.match(await open.read('ul'), 'through TLS')
  for (const target of [`${own}/notes`, `${origin}/notes`]) {
    const other = target.startsWith(own) ? origin : own
    await open.goto(`${other}/evil?to=${encodeURIComponent(target)}`, 'load')
    await send(open)
    t.equal(await open.read('#failed'), '403: This request comes from another site.')
  }
  await open.goto(`${origin}/notes`, 'load')
  t.notMatch(await open.read('ul'), 'evil')
})
