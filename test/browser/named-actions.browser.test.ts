// Two forms and a button on one page, each with an action of its own, with JavaScript and without.

import t from 'tap'
import { buildApp } from '../build-app.ts'
import { serve } from '../server/served.ts'
import { until } from '../until.ts'
import { launchChromium } from './chromium.ts'

const dir = await buildApp(t, 'schemas')
const { app } = await serve(t, dir)
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
const chromium = await launchChromium(t)

for (const javaScript of [true, false]) {
  t.test(`each form has its own action, ${javaScript ? 'with' : 'without'} JavaScript`, async (t) => {
    const opened = await chromium.open({ javaScript }, t)
    const { fill, click, hasText, read, page } = opened
    const path = () => page.url().slice(origin.length)
    await opened.goto(`${origin}/article?page=2`, 'load')
    if (javaScript) await opened.hydrated()

    await fill('#text', 'H')
    await fill('#email', 'ada@example.org')
    await click('#comment')
    await hasText('#comment-text-error', 'Too short')
    t.equal(await read('#subscribe-email-error'), '', 'the field of the same name has no message')
    t.equal(await opened.valueOf('#email'), 'ada@example.org')
    t.equal(await opened.valueOf('#other'), '')
    t.equal(path(), javaScript ? '/article' : '/article?/comment')
    t.match(JSON.parse(await read('#data')), { address: '', seen: '', comments: [] })
    if (!javaScript) {
      const reloaded = await opened.goto(`${origin}${path()}`, 'load')
      t.equal(reloaded.status(), 200)
      t.equal(await read('#comment-text-error'), '')
      t.match(JSON.parse(await read('#data')), { address: '', seen: '', page: 1 })
    }

    await fill('#other', 'bob@example.org')
    await click('#subscribe')
    await hasText('#results', '[null,"bob@example.org",null]')
    t.equal(await read('#refused'), '[null,null,null]', 'the page shows the newest result')

    await fill('#text', 'spam')
    await fill('#email', 'ada@example.org')
    await click('#comment')
    await hasText('#comment-text-error', 'No spam')
    await fill('#text', javaScript ? 'Hello' : 'Bye')
    await click('#comment')
    await hasText('#results', '[{"by":"ada@example.org"},null,null]')
    await until(async () => (await opened.valueOf('#text')) === '')

    const { favourites } = JSON.parse(await read('#data'))
    await click('#quick')
    await hasText('#own', '{"page":1')
    await hasText('#data', `"favourites":${favourites + 1}`)
    const results = javaScript ? '[{"by":"ada@example.org"},null,null]' : '[null,null,{"page":1'
    t.match(await read('#results'), results, 'the page has the result of its own forms only')
    t.strictSame(opened.errors, [])
  })
}

t.test('a document at the address of an action works with JavaScript', async (t) => {
  const opened = await chromium.open({}, t)
  await opened.goto(`${origin}/article?/comment`, 'load')
  await opened.hydrated()
  await opened.fill('#other', 'bob@example.org')
  await opened.click('#subscribe')
  await opened.hasText('#results', '[null,"bob@example.org",null]')
  t.equal(opened.page.url(), `${origin}/article?/comment`)
  await opened.click('#quick')
  await opened.hasText('#own', '{"page":1')
  t.strictSame(opened.errors, [])
})
