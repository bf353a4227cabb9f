// A site with a form, for tests that send it from outside.

import { join } from 'node:path'
import type { Test } from 'tap'
import { buildForBrowser } from './server/served.ts'

const FILES = {
  'pages/layout.tsx':
    'export default function Layout({ children }) {\n  return <html lang="en"><head><title>form</title></head><body><main>{children}</main></body></html>\n}\n',
  'pages/error.tsx':
    'export default function Failed({ status, message }) {\n  return <p id="failed">{status}: {message}</p>\n}\n',
  'pages/notes.tsx': `
import { useState } from 'react'
export default function Notes({ data, actionData }) {
  const [count, setCount] = useState(0)
  return (
    <>
      <h1>{data.notes.length} notes</h1>
      <button id="counter" type="button" onClick={() => setCount(count + 1)}>{count}</button>
      <form method="post" encType={data.isMultipart ? 'multipart/form-data' : undefined}>
        <input name="text" defaultValue={actionData?.text} />
        {data.isMultipart && <input name="file" type="file" />}
        {actionData && <p id="problem">{actionData.problem}</p>}
        <button id="send" type="submit">Send</button>
      </form>
      <ul>{data.notes.map((note) => <li key={note}>{note}</li>)}</ul>
    </>
  )
}
`,
  'pages/notes.server.ts': `
import { redirect } from 'hydrant'
const notes = []
export const load = ({ url }) => ({ notes: [...notes], isMultipart: url.searchParams.has('multipart') })
export async function action({ form, reply, request }) {
  const { body } = request
  const text = body instanceof FormData ? String(form.get('text')) : body?.text
  if (!text) {
    reply.code(422)
    return { problem: 'Write something.', text: '' }
  }
  const file = form.get('file')
  const content = file instanceof File && file.size > 0 ? ': ' + file.name + ' ' + await file.text() : ''
  notes.push(text + content)
  redirect('/notes')
}
`,
  'pages/evil.tsx':
    'export default function Evil({ data }) {\n  return <form method="post" action={data}><input name="text" defaultValue="evil" /><button id="send" type="submit">Send</button></form>\n}\n',
  'pages/evil.server.ts': "export const load = ({ url }) => url.searchParams.get('to')\n",
}

/** Writes and builds the site. Returns its folder. */
export async function buildFormSite(t: Pick<Test, 'testdir' | 'teardown'>): Promise<string> {
  return buildForBrowser(join(t.testdir({}), 'site'), FILES)
}
