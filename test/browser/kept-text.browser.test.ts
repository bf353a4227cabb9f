/// <reference lib="dom" />

// The text of a form, which is filled in when the visitor returns to it: after it was not accepted, and after Back.

import t from 'tap'
import { buildForBrowser, serve } from '../server/served.ts'
import { launchChromium, type OpenPage, type Owner } from './chromium.ts'

const dir = await buildForBrowser(t.testdir({}), {
  'pages/login.tsx': 'export default () => <><h1>Sign in</h1><a id="back" href="/note">Note</a></>\n',
  'pages/note.tsx': `
export default () => <><h1>Note</h1>
  <form method="post"><input id="text" name="text" /><input id="code" name="code" autoComplete="off" /><button id="send">Send</button></form>
  <form method="post" autoComplete="OFF"><input id="own" name="own" /><input id="mail" name="mail" autoComplete="email" /><button id="other">Send</button></form>
</>
`,
  'pages/message.tsx': `
import { useState } from 'react'
export default () => {
  const [subject, setSubject] = useState('')
  return <><h1>Message</h1><a id="away" href="/login">Sign in</a><b id="shown">{subject}</b>
    <form method="post"><textarea id="text" name="text" /><input id="code" name="code" autoComplete="off" /><input id="secret" name="secret" type="password" />
    <input id="subject" name="subject" value={subject} onChange={(event) => setSubject(event.target.value)} /><input id="news" name="news" type="checkbox" /><button id="send">Send</button></form>
  </>
}
`,
  'pages/message.server.ts': "import { redirect } from 'hydrant'\nexport const action = () => redirect('/login')\n",
  'pages/note.server.ts': `
import { redirect } from 'hydrant'
export const guard = ({ request }) => { if (request.method === 'POST') redirect('/login') }
export const action = () => null
`,
})
const { app } = await serve(t, dir)
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
const chromium = await launchChromium(t)

async function openNote(t: Owner): Promise<OpenPage> {
  const open = await chromium.open({}, t)
  await open.page.clock.install()
  await open.goto(`${origin}/note`, 'load')
  await open.hydrated()
  return open
}

async function sendAndReturn(open: OpenPage, button: string, wait?: string) {
  await open.click(button)
  await open.hasText('h1', 'Sign in')
  if (wait) await open.page.clock.fastForward(wait)
  await open.click('#back')
  await open.hasText('h1', 'Note')
}

t.test('the text is filled in for some minutes, without fields that browsers do not keep either', async (t) => {
  const open = await openNote(t)
  await open.fill('#text', 'typed')
  await open.fill('#code', '1234')
  await sendAndReturn(open, '#send', '09:00')
  t.equal(await open.valueOf('#text'), 'typed')
  t.equal(await open.valueOf('#code'), '')
  await open.fill('#own', 'secret')
  await open.fill('#mail', 'a@b.example')
  await sendAndReturn(open, '#other')
  t.equal(await open.valueOf('#own'), '')
  t.equal(await open.valueOf('#mail'), 'a@b.example')
})

t.test('it is forgotten after ten minutes', async (t) => {
  const open = await openNote(t)
  await open.fill('#text', 'typed')
  await sendAndReturn(open, '#send', '11:00')
  t.equal(await open.valueOf('#text'), '')
})

t.test('Back fills in what was typed before a link was followed, but not what was sent', async (t) => {
  const open = await chromium.open({}, t)
  const { page } = open
  await open.goto(`${origin}/message`, 'load')
  await open.hydrated()
  for (const field of ['#text', '#code', '#secret', '#subject']) await open.fill(field, 'typed')
  await open.click('#news')
  await open.click('#away')
  await open.hasText('h1', 'Sign in')
  await page.goBack()
  await open.hasText('#shown', 'typed')
  const values = await open.evaluate(
    () => ['text', 'code', 'secret', 'subject'].map((id) => (document.getElementById(id) as HTMLInputElement).value),
    null,
  )
  t.strictSame(values, ['typed', '', '', 'typed'])
  t.equal(await open.count('#news:checked'), 1)

  await open.click('#send')
  await open.hasText('h1', 'Sign in')
  await page.goBack()
  await open.hasText('h1', 'Message')
  t.equal(await open.valueOf('#text'), '')
})
