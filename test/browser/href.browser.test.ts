import t from 'tap'
import { createServer } from '../../src/server/index.ts'
import { buildApp } from '../build-app.ts'
import { launchChromium } from './chromium.ts'

t.test('links in the browser equal those of the server, below any base', async (t) => {
  const dir = await buildApp(t, 'addresses')
  const { page, errors, goto, hydrated, shown, read } = await (await launchChromium(t)).open({}, t)
  const found: Record<string, unknown> = {}
  const expected: Record<string, unknown> = {}
  for (const base of ['', '/shop', '/a/b']) {
    const app = await createServer({ dir, logger: false, ledger: false, base: base || '/' })
    t.teardown(() => app.close())
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    await goto(`${address}${base}/links`, 'load')
    await hydrated()
    await shown('#later')
    const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    await page.getByRole('button').click()
    await page.locator('output:not(:empty)').waitFor()
    found[base] = { links, clicked: await read('output') }
    expected[base] = { links: [`${base}/about`, `${base}/p/7?a=1`, base || '/'], clicked: `${base}/docs/x/y` }
  }
  t.strictSame(found, expected)
  t.strictSame(errors, [], 'and nothing had to be corrected')
})
