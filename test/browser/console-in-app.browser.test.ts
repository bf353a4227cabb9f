/// <reference lib="dom" />

import Fastify from 'fastify'
import t from 'tap'
import { hydrant } from '../../src/server/index.ts'
import { buildApp } from '../build-app.ts'
import { HTML } from '../server/served.ts'
import { launchChromium } from './chromium.ts'

const TOKEN = 'correct-horse-battery'
const chromium = await launchChromium(t)
const dir = await buildApp(t, 'failures')

t.test('a console in an app signs in, finds failures, shows new ones and signs out below its prefix', async (t) => {
  const app = Fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(hydrant, { dir })
  await app.register(hydrant.admin, { prefix: '/ops/console', token: TOKEN })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const failed = await app.inject({ url: '/first', headers: HTML })
  const digest = String(failed.headers['x-error-digest'])

  const open = await chromium.open({}, t)
  const { page } = open
  await open.goto(`${origin}/ops/console`, 'load')
  await open.hydrated()
  t.equal(page.url(), `${origin}/ops/console/sign-in`)
  await page.fill('input[name=token]', TOKEN)
  await page.click('main button')
  await open.hasText('main', 'the first')
  t.equal(page.url(), `${origin}/ops/console`)

  await app.inject({ url: '/second', headers: HTML })
  await open.hasText('main', 'the second')

  await page.fill('input[name=digest]', digest)
  await page.click('.find button')
  await page.waitForURL(`${origin}/ops/console/failures/${digest}`)
  await open.hasText('main', 'pages/first.server.ts')
  await page.click('.site-header form[method=post] button')
  await page.waitForURL(`${origin}/ops/console/sign-in`)
  t.strictSame(open.errors, [])
})
