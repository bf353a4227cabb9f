/// <reference lib="dom" />

import t from 'tap'
import { buildForBrowser, serve } from '../server/served.ts'
import { launchChromium } from './chromium.ts'

const page = (name: string, link: string) => `import { href, publicEnv } from 'hydrant/react'
const top = publicEnv.PUBLIC_API_URL
export default () => <><h1>${name}</h1><p id="top">{top}</p><p id="all">{JSON.stringify(publicEnv)}</p><a href={href('${link}')}>go</a></>
`

t.test('the browser has the variables of the server, in every page and below a base', async (t) => {
  process.env.PUBLIC_API_URL = 'https://api.example/</script>'
  t.teardown(() => {
    delete process.env.PUBLIC_API_URL
  })
  const dir = await buildForBrowser(t.testdir({}), {
    'pages/index.tsx': "import { href } from 'hydrant/react'\nexport default () => <a href={href('/one')}>go</a>\n",
    'pages/one.tsx': page('one', '/two'),
    'pages/two.tsx': page('two', '/one'),
  })
  const { app } = await serve(t, dir, { base: '/shop' })
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const open = await (await launchChromium(t)).open({}, t)
  for (const start of ['/shop', '/shop/one']) {
    await open.goto(address + start, 'load')
    await open.hydrated()
    await open.evaluate(() => void Object.assign(self, { isMarked: true }), null)
    await open.page.getByRole('link').click()
    const next = start === '/shop' ? 'one' : 'two'
    await open.page.getByRole('heading', { name: next }).waitFor()
    t.equal(await open.read('#top'), 'https://api.example/</script>')
    t.equal(await open.read('#all'), '{"PUBLIC_API_URL":"https://api.example/</script>"}')
    t.equal(await open.evaluate(() => 'isMarked' in self, null), true, 'without another document')
    t.strictSame(open.errors, [])
  }
})
