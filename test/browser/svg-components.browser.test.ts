/// <reference lib="dom" />

import t from 'tap'
import { createSite } from '../scripts/create-site.ts'
import { runHere } from '../scripts/run-here.ts'
import { buildForBrowser, serve } from '../server/served.ts'
import { launchChromium } from './chromium.ts'
import { startDevSite } from './dev/dev-site.ts'

const LOGO = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [ <!ENTITY x "y"> ]>
<!-- drawn -->
<svg xmlns="http://www.w3.org/2000/svg" xmlns:tool="urn:tool" tool:version="1" viewBox="0 0 8 8" class="logo &amp; more"
  stroke-width='2' style="fill:red;--size: 1px;background-image:url(data:image/png;base64,AA)" aria-label="a" tabindex="0">
  <style><![CDATA[.a > .b { fill: blue }]]></style>
  <clipPath id="clip"><rect width="8" height="8"/></clipPath>
  <g clip-path="url(#clip)"><path fill-rule="evenodd" d="M0 0h8v8z"/><text>A &lt; B</text></g>
</svg>
`
const PAGE = `import { useState } from 'react'
import { State } from '../parts/state'
import Logo from '../parts/logo.svg?component'
import url from '../parts/logo.svg'
export default function Page() {
  const [isShown, setShown] = useState(false)
  return (
    <>
      <Logo id="first" width={40} title="Tea <&> more" data-url={url} />
      <button id="show" type="button" onClick={() => setShown(true)}>show</button>
      {isShown && <Logo id="second" width={40} title="Tea <&> more" data-url={url} />}
      <State />
    </>
  )
}
`
const files = { 'pages/index.tsx': PAGE, 'parts/logo.svg': LOGO }

/** Returns the element without its id. The browser writes styles in one form. */
function markupOf(selector: string): string {
  const svg = document.querySelector<SVGElement>(selector)?.cloneNode(true) as SVGElement
  const { cssText } = svg.style
  for (const name of ['id', 'style']) svg.removeAttribute(name)
  return `${cssText} ${svg.outerHTML}`
}

t.test('the element is the same from the server and in the browser', async (t) => {
  const dir = await buildForBrowser(t.testdir({}), { ...files, 'parts/state.tsx': 'export const State = () => null\n' })
  const { app, get } = await serve(t, dir)
  const { body } = await get('/')
  t.match(body, '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8" class="logo &amp; more" stroke-width="2"')
  t.match(body, 'style="fill:red;--size:1px;background-image:url(data:image/png;base64,AA)"')
  t.match(body, 'role="img" id="first" width="40" data-url="/_hydrant/assets/logo-')
  t.match(body, '><title>Tea &lt;&amp;> more</title><style>')
  t.notMatch(body, 'tool:version')
  const open = await (await launchChromium(t)).open({}, t)
  await open.goto(await app.listen({ port: 0, host: '127.0.0.1' }), 'load')
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
  const site = await startDevSite(t, files)
  const page = await site.open('/')
  const before = await page.use()
  site.edit('parts/logo.svg', 'M0 0h8v8z', 'M1 1h8v8z')
  await page.page.waitForFunction(() => document.querySelector('#first path')?.getAttribute('d') === 'M1 1h8v8z')
  t.strictSame(await page.state(), before)
  t.strictSame(page.messages, [], 'React has found no difference')
})
