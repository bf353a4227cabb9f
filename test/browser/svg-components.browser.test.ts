/// <reference lib="dom" />

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { createSite } from '../scripts/create-site.ts'
import { runHere } from '../scripts/run-here.ts'
import { serve } from '../server/served.ts'
import { launchChromium } from './chromium.ts'
import { startDevSite } from './dev/dev-site.ts'

/** Returns the element without its id. The browser writes styles in one form. */
function markupOf(selector: string): string {
  const svg = document.querySelector<SVGElement>(selector)?.cloneNode(true) as SVGElement
  const { cssText } = svg.style
  for (const name of ['id', 'style']) svg.removeAttribute(name)
  return `${cssText} ${svg.outerHTML}`
}

t.test('the element is the same from the server and in the browser', async (t) => {
  const { app, get } = await serve(t, await buildApp(t, 'assets'))
  const { body } = await get('/svg')
  t.match(body, '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8" class="logo &amp; more" stroke-width="2"')
  t.match(body, 'style="fill:red;--size:1px;background-image:url(data:image/png;base64,AA)"')
  t.match(body, 'role="img" id="first" width="40" data-url="/_hydrant/assets/logo-')
  t.match(body, '><title>Tea &lt;&amp;> more</title><style>')
  t.notMatch(body, 'tool:version')
  const open = await (await launchChromium(t)).open({}, t)
  await open.goto(`${await app.listen({ port: 0, host: '127.0.0.1' })}/svg`, 'load')
  await open.hydrated()
  await open.page.locator('#show').click()
  await open.page.locator('#second').waitFor()
  t.equal(await open.evaluate(markupOf, '#second'), await open.evaluate(markupOf, '#first'))
  t.equal(await open.page.getByRole('img').count(), 2)
  t.strictSame(open.errors, [])
})

t.test('a file without an svg element is an error of the build', async (t) => {
  const dir = createSite(t, {
    'pages/index.tsx': "import A from './a.svg?component'\nexport default () => <A />\n",
    'pages/a.svg': '<html></html>\n',
  })
  const { code, stderr } = await runHere(['build', dir])
  t.equal(code, 1)
  t.match(stderr, 'The root element of the file is not <svg>')
  t.match(stderr, 'pages/a.svg')
})

t.test('in development, an edit of the file changes the element, and the page keeps its state', async (t) => {
  const site = await startDevSite(t, 'assets')
  const page = await site.open('/svg')
  const before = await page.use()
  site.edit('parts/logo.svg', 'M0 0h8v8z', 'M1 1h8v8z')
  await page.page.waitForFunction(() => document.querySelector('#first path')?.getAttribute('d') === 'M1 1h8v8z')
  t.strictSame(await page.state(), before)
  t.strictSame(page.messages, [], 'React has found no difference')
})
