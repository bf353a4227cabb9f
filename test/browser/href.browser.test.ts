import t from 'tap'
import { createServer } from '../../src/server/index.ts'
import { createSite } from '../scripts/create-site.ts'
import { buildSharing } from '../shared-compression.ts'
import { launchChromium } from './chromium.ts'

const files = {
  'pages/index.tsx': `
    import { href } from 'hydrant/react'
    import { lazy, Suspense, useState } from 'react'
    const Later = lazy(() => import('../components/later'))
    const top = href('/about')
    export default function Page() {
      const [clicked, setClicked] = useState('')
      return <>
        <a id="top" href={top}>top</a>
        <a id="inside" href={href('/products/[id]', { id: 7 }, { search: { a: 1 } })}>inside</a>
        <button type="button" onClick={() => setClicked(href('/docs/[...path]', { path: 'x/y' }))}>click</button>
        <output>{clicked}</output>
        <Suspense><Later /></Suspense>
      </>
    }
  `,
  'components/later.tsx':
    "import { href } from 'hydrant/react'\nexport default () => <a id='later' href={href('/')}>later</a>\n",
}

t.test('links in the browser equal those of the server, below any base', async (t) => {
  const dir = createSite(t, files)
  await buildSharing({ dir })
  const { page, errors, goto, hydrated, shown, read } = await (await launchChromium(t)).open({}, t)
  for (const base of ['', '/shop', '/a/b']) {
    const app = await createServer({ dir, logger: false, base: base || '/' })
    t.teardown(() => app.close())
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    await goto(`${address}${base || '/'}`, 'load')
    await hydrated()
    await shown('#later')
    const links = () => page.locator('a').evaluateAll((found) => found.map((link) => link.getAttribute('href')))
    t.strictSame(await links(), [`${base}/about`, `${base}/products/7?a=1`, base || '/'])
    await page.getByRole('button').click()
    await page.locator('output:not(:empty)').waitFor()
    t.equal(await read('output'), `${base}/docs/x/y`)
    t.strictSame(errors, [], 'and nothing had to be corrected')
  }
})
