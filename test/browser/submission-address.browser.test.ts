/// <reference lib="dom" />

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { serve } from '../server/served.ts'
import { launchChromium } from './chromium.ts'

const dir = await buildApp(t, 'schemas')

t.test('submit() sends to the page, also if its path looks like another host', async (t) => {
  const { app } = await serve(t, dir)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const open = await (await launchChromium(t)).open({}, t)
  for (const path of ['/page?a=1', '//host.example/page?a=1']) {
    await open.goto(`${address}${path}#fragment`, 'load')
    await open.page.getByRole('button').click()
    await open.page.getByRole('heading', { name: `a ${path}`, exact: true }).waitFor()
  }
  t.strictSame(open.errors, [])
})
