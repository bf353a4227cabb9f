/// <reference lib="dom" />

// A form that was not accepted, in Firefox.

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { serve } from '../server/served.ts'
import { until } from '../until.ts'
import { launchFirefox } from './firefox.ts'

const dir = await buildApp(t, 'schemas')
const { app } = await serve(t, dir)
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
const firefox = await launchFirefox(t)

const fill = (isReloaded: boolean) =>
  firefox.evaluate((isReloaded) => {
    const values = { name: 'A', email: 'ada@example.org', password: 'hunter2', age: '36', first: 'one' }
    for (const [id, value] of Object.entries(values)) (document.getElementById(id) as HTMLInputElement).value = value
    document.querySelector('form')?.toggleAttribute('data-hydrant-reload', isReloaded)
  }, isReloaded)

const valuesOf = () =>
  firefox.evaluate(
    () => ['name', 'email', 'password', 'age'].map((id) => (document.getElementById(id) as HTMLInputElement).value),
    null,
  )

const focused = () => firefox.evaluate(() => document.activeElement?.id, null)

for (const isReloaded of [false, true]) {
  t.test(`${isReloaded ? 'sent by the browser' : 'handled in place'}, it keeps what was typed`, async (t) => {
    await firefox.goto(`${origin}/signup`)
    await firefox.hydrated()
    await fill(isReloaded)
    await firefox.click('#send')
    await firefox.shows('#name-error', 'Too short')
    await until(async () => (await focused()) === 'name')
    t.strictSame(await valuesOf(), ['A', 'ada@example.org', isReloaded ? '' : 'hunter2', '36'])
    const described = await firefox.evaluate(
      () => document.getElementById('name')?.getAttribute('aria-describedby'),
      null,
    )
    t.equal(described, 'name-error')
  })
}
