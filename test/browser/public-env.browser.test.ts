/// <reference lib="dom" />

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { serve } from '../server/served.ts'
import { launchChromium } from './chromium.ts'

t.test('the browser has the variables of the server, in every page and below a base', async (t) => {
  process.env.PUBLIC_API_URL = 'https://api.example/</script>'
  t.teardown(() => {
    delete process.env.PUBLIC_API_URL
  })
  const dir = await buildApp(t, 'assets')
  const { app } = await serve(t, dir, { base: '/shop' })
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const open = await (await launchChromium(t)).open({}, t)
  for (const start of ['/shop/env', '/shop/env/one']) {
    await open.goto(address + start, 'load')
    await open.hydrated()
    await open.evaluate(() => void Object.assign(self, { isMarked: true }), null)
    await open.page.getByRole('link').click()
    const next = start === '/shop/env' ? 'one' : 'two'
    await open.page.getByRole('heading', { name: next }).waitFor()
    t.equal(await open.read('#top'), 'https://api.example/</script>')
    t.equal(await open.read('#all'), '{"PUBLIC_API_URL":"https://api.example/</script>"}')
    t.equal(await open.evaluate(() => 'isMarked' in self, null), true, 'without another document')
    t.strictSame(open.errors, [])
  }
})
