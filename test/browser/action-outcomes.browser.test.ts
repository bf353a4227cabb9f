/// <reference lib="dom" />

// For every outcome of an action, a visitor with JavaScript reads the same as one without, and the log has the same
// failure.

import t from 'tap'
import { ERROR } from '../site-server.ts'
import { PATIENCE_MS, until } from '../until.ts'
import type { OpenPage } from './chromium.ts'
import { startInPlace } from './in-place-site.ts'

/** Failures of these lead to a line of the site. */
const LINES = ['error', 'rejected', 'refusal-wrong', 'no-redirect', 'no-text', 'no-address', 'outside-']

const { open, reopen, openPlain, site, origin } = await startInPlace(t, {
  HYDRANT_TIMEOUTS_LOAD_MS: '1500',
  HYDRANT_BODY_LIMIT: '10000',
})

const plain = await openPlain(t)
const opened = await open(t, '/ends')
/** The outcomes of the action, and targets that are not this action. */
const outcomes = await opened.evaluate(() => [...document.querySelectorAll('#ends button')].map(({ id }) => id), null)

/** Returns the URL and the text of the page, with the first half of the digest. */
async function see({ page, evaluate }: OpenPage) {
  const text = await evaluate(() => {
    // The announcer repeats the name of the page for screen readers.
    document.querySelector('.hydrant-announcer')?.remove()
    return (document.querySelector('main') ?? document.body).innerText
  }, null)
  const { host, pathname, search } = new URL(page.url())
  return `${host}${pathname}${search} ${text.replace(/(Digest: \w{8})-\w{6}/, '$1')}`
}

for (const name of outcomes) {
  t.test(`shown with JavaScript as without: ${name}`, async (t) => {
    await plain.goto(`${origin}/ends`, 'load')
    const lines = site.lines.length
    await Promise.all([plain.page.waitForEvent('load'), plain.click(`#${name}`)])
    const expected = await see(plain)
    await reopen(opened, '/ends')
    const answered = opened.page.waitForResponse((response) => response.request().method() === 'POST')
    await Promise.all([answered, opened.click(`#${name}`)])
    let seen = ''
    const endsAt = Date.now() + PATIENCE_MS
    await until(async () => {
      // A document may be loading meanwhile.
      seen = await see(opened).catch(() => '')
      return seen === expected || Date.now() > endsAt
    })
    t.equal(seen, expected)
    if (!expected.includes('Digest: ')) return
    t.notMatch(seen, 'SECRET-MARKER')
    const errorsOf = () => site.lines.slice(lines).filter(({ level }) => level >= ERROR)
    // A request can have two failures.
    const ofSecond = (errors: typeof site.lines) => errors.find(({ reqId }) => reqId !== errors[0]?.reqId)
    await until(() => ofSecond(errorsOf()) !== undefined)
    const errors = errorsOf()
    t.equal(errors[0]?.digest?.slice(0, 8), ofSecond(errors)?.digest?.slice(0, 8))
    if (LINES.some((start) => name.startsWith(start)))
      t.match(errors[0]?.err?.stack, /\n {4}at [^\n]*pages\/ends\.server\.ts:\d+/)
  })
}

t.test('a body that is too large has the refusal that it has without JavaScript, before its form', async (t) => {
  await plain.goto(`${origin}/ends`, 'load')
  await Promise.all([plain.page.waitForEvent('load'), plain.click('#too-large')])
  const refusal = await plain.read('[role=alert] p')
  t.match(refusal, '413')
  await reopen(opened, '/ends')
  await opened.click('#too-large')
  await opened.shown('[role=alert]')
  t.equal(await opened.read('[role=alert] p'), refusal)
  const length = () =>
    opened.evaluate(() => {
      const form = document.querySelector('[role=alert]')?.nextElementSibling
      return form?.querySelector<HTMLInputElement>('[name=how]')?.value.length
    }, null)
  t.equal(await length(), 20_000)
})
