/// <reference lib="dom" />

// A site below a path of a proxy, in a browser: everything that it loads is below that path.

import t from 'tap'
import { HOST, PROXIES, startDocumented } from '../proxy/documented.ts'
import { buildProxiedSite } from '../proxy/proxied-site.ts'
import { startUpstreams } from '../proxy/upstreams.ts'
import { launchChromium } from './chromium.ts'
import { takesNavigations } from './navigation-site.ts'

const dir = await buildProxiedSite(t)
const upstreams = await startUpstreams(t, dir)
const chromium = await launchChromium(t)

const [proxy] = PROXIES
if (!proxy) throw new Error('There is no proxy.')
const { httpsPort } = await startDocumented(t, proxy, upstreams)

for (const base of ['/docs', '/shop']) {
  t.test(base === '/docs' ? 'a path that the proxy takes away' : 'a path that it passes on', async (t) => {
    const open = await chromium.open({}, t)
    const { page, errors, goto, hydrated, read } = open
    const requested: { type: string; path: string; status: Promise<number | undefined> }[] = []
    page.on('request', (request) => {
      const status = request.response().then((response) => response?.status())
      requested.push({ type: request.resourceType(), path: new URL(request.url()).pathname, status })
    })
    const origin = `https://${HOST}:${httpsPort}`
    await goto(origin + base, 'load')
    await hydrated()
    await takesNavigations(page)
    t.equal(await read('#url'), origin + base)
    t.equal(await page.locator('img').evaluate((img: HTMLImageElement) => img.naturalWidth > 0), true, 'an image')

    await open.click('#lazy')
    await open.hasText('main', 'Later')
    t.equal(new URL(page.url()).pathname, `${base}/lazy`, 'a navigation, and a script that is loaded late')

    await open.click('#notes')
    await open.hasText('#said', '0')
    await open.fill('[name=text]', 'x')
    await open.click('#send')
    await open.hasText('#said', '1')
    t.equal(new URL(page.url()).pathname, `${base}/notes`, 'a redirect behind a form')

    const types = requested.map((request) => request.type)
    t.equal(types.filter((kind) => kind === 'document').length, 1, 'in one document')
    for (const kind of ['script', 'stylesheet', 'image', 'fetch']) t.ok(types.includes(kind), kind)
    const inStyles = requested.some(({ path }) => path.startsWith(`${base}/_hydrant/assets/paper`))
    t.ok(inStyles, 'what a stylesheet names')
    for (const { path, status } of requested) {
      t.ok(path === base || path.startsWith(`${base}/`), path)
      t.ok(Number(await status) < 400, path)
    }
    t.strictSame(errors, [])
  })
}
