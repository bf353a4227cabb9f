/// <reference lib="dom" />

// A page in a frame with `sandbox` and without `allow-same-origin` has an origin of its own, and no storage.

import { appendFileSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { copyApp } from '../build-app.ts'
import { serve } from '../server/served.ts'
import { buildSharing } from '../shared-compression.ts'
import { until } from '../until.ts'
import { launchChromium } from './chromium.ts'

// A font of the system, which is too large to keep.
const dir = copyApp(t, 'scripts')
copyFileSync('/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf', join(dir, 'pages/frame/face.ttf'))
appendFileSync(join(dir, 'pages/frame/inside.css'), '@font-face { font-family: face; src: url(face.ttf) }\n')
await buildSharing({ dir })

t.test('a page in a sandboxed frame is interactive, and so is the page after a link', async (t) => {
  const { app } = await serve(t, dir)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const open = await (await launchChromium(t)).open({}, t)
  await open.goto(`${address}/frame`, 'load')
  const frame = await until(() => open.page.frames()[1])
  t.equal(await frame.evaluate(() => origin), 'null')
  for (const id of ['count', 'lazy']) {
    await until(async () => {
      await frame.click(`#${id}`)
      return (await frame.textContent(`#${id}`)) !== `${id} 0`
    })
  }
  t.strictSame(await frame.evaluate(async () => (await document.fonts.load('20px face')).map(({ status }) => status)), [
    'loaded',
  ])
  await frame.click('a')
  await frame.waitForSelector('h1:text("Other")')
  await until(async () => {
    await frame.click('#count')
    return (await frame.textContent('#count')) !== 'count 0'
  })
  t.strictSame(open.errors, [])
})
