// A site whose components send to actions of their own page and of other pages.

import type { Test } from 'tap'
import { startInPlace } from './in-place-site.ts'

const FILES = {
  'pages/list.tsx': `
import { Suspense, startTransition, use, useOptimistic, useRef, useState } from 'react'
import { useFormStatus } from 'react-dom'
import { refresh, useSubmission } from 'hydrant/react'

function Status() {
  return <span className="status">{String(useFormStatus().pending)}</span>
}

function Row({ id, end }) {
  const like = useSubmission('/items/[id]', { id })
  return <li id={'row-' + id}>
    <form {...like.form}>
      <input name="text" defaultValue="initial" /><input type="hidden" name="end" value={end ?? 'data'} />
      <button className="send">Like</button><Status />
    </form>
    <span className="data">{like.data?.text ?? 'none'}</span>
    <span className="pending">{String(like.isPending)}</span>
    <span className="sent">{like.formData?.get('text') ?? 'none'}</span>
    <span className="error">{like.error ? JSON.stringify(like.error) : 'none'}</span>
    <button className="reset" type="button" onClick={like.reset}>Reset</button>
    <button className="abort" type="button" onClick={like.abort}>Abort</button>
  </li>
}

function Chat({ texts }) {
  const send = useSubmission('/items/[id]', { id: 'chat' })
  const [shown, add] = useOptimistic(texts, (all, text) => [...all, text + '…'])
  const input = useRef(null)
  return <form {...send.form} id="chat" onSubmit={(event) => {
    event.preventDefault()
    const text = input.current.value
    startTransition(async () => {
      add(text)
      await send.submit({ text })
    })
  }}>
    <input name="text" ref={input} /><button id="chat-send">Say</button><p id="texts">{shown.join(' ')}</p>
  </form>
}

function Reviews({ reviews }) {
  return <p id="reviews">{use(reviews)}</p>
}

export default function List({ data, actionData }) {
  const [isOpen, setIsOpen] = useState(true)
  const [refreshed, setRefreshed] = useState('no')
  return <>
    <h1>List</h1>
    <p id="loads">{data.loads}</p>
    <form id="own" method="post"><input name="text" defaultValue="initial" /><button id="own-send">Send</button></form>
    <p id="own-data">{actionData?.text ?? 'none'}</p>
    <ul><Row id="a" /><Row id="b" />{isOpen && <Row id="c" />}<Row id="refused" end="refusal" /><Row id="failing" end="failure" /><Row id="moved" end="redirect" /><Row id="quiet" /></ul>
    <button id="close" type="button" onClick={() => setIsOpen(false)}>Close</button>
    <button id="refresh" type="button" onClick={() => refresh().then(
      () => setRefreshed('yes ' + document.querySelector('#loads').textContent), (error) => setRefreshed('rejected ' + error.message))}>Refresh</button>
    <button id="refresh-transition" type="button" onClick={() => startTransition(async () => {
      await refresh()
      startTransition(() => setRefreshed('transition'))
    })}>Refresh</button>
    <p id="refreshed">{refreshed}</p>
    <Chat texts={data.texts} />
    <Suspense fallback={<p id="reviews">…</p>}><Reviews reviews={data.reviews} /></Suspense>
  </>
}
`,
  'pages/list.server.ts': `
import { HttpError, redirect } from 'hydrant'
let loads = 0
export function load({ app }) {
  loads++
  if (app.settings.load === 'redirect') redirect('/target')
  if (app.settings.load === 'failure') throw new Error('SECRET-MARKER')
  if (app.settings.load === 'refusal') throw new HttpError(410, 'Gone')
  const name = 'reviews ' + loads
  return { loads, texts: [...app.texts], reviews: app.settings.reviews === 'slow' ? app.gate('reviews').then(() => name) : Promise.resolve(name) }
}
export function action({ app, form }) {
  app.done({ path: '/list', text: form.get('text') })
  return { text: form.get('text') }
}
`,
  'pages/items/[id].tsx': 'export default ({ params, actionData }) => <h1>Item {params.id} {actionData?.text}</h1>\n',
  'pages/items/[id].server.ts': `
import { HttpError, redirect } from 'hydrant'
export async function action({ app, form, params }) {
  const text = form.get('text')
  app.done({ path: '/items/' + params.id, text })
  if (text.startsWith('wait')) await app.gate(text)
  if (params.id === 'chat') app.texts.push(text)
  switch (form.get('end')) {
    case 'refusal': throw new HttpError(409, 'Already liked')
    case 'failure': throw new Error('SECRET-MARKER')
    case 'redirect': redirect('/target')
  }
  return { text }
}
`,
  'pages/quiet.tsx': `
import { useSubmission } from 'hydrant/react'
export default function Quiet({ data, actionData }) {
  const count = useSubmission('/quiet')
  return <>
    <h1>Quiet</h1>
    <p id="loads">{data}</p><p id="action-data">{actionData ?? 'none'}</p><p id="data">{count.data ?? 'none'}</p>
    <form method="post" id="plain"><input name="text" defaultValue="initial" /><button id="plain-send">Send</button></form>
    <form {...count.form}><button id="hook-send">Send</button></form>
  </>
}
`,
  'pages/quiet.server.ts': `
let loads = 0
let actions = 0
export const revalidate = false
export const load = () => ++loads
export const action = () => 'action ' + ++actions
`,
  'pages/upload.tsx': `
import { useState } from 'react'
import { useSubmission } from 'hydrant/react'
export default function Upload() {
  const upload = useSubmission('/upload')
  const [seen, setSeen] = useState([])
  if (upload.progress !== undefined && seen.at(-1) !== upload.progress) setSeen([...seen, upload.progress])
  return <>
    <h1>Upload</h1>
    <form {...upload.form} encType="multipart/form-data" id="form">
      <input name="text" defaultValue="initial" /><input type="file" name="file" /><button id="send">Send</button>
    </form>
    <form method="post" encType="multipart/form-data" id="plain">
      <textarea name="text" /><input type="file" name="file" /><button id="plain-send">Send</button>
    </form>
    <form method="post" id="texts"><textarea name="text" /><button id="texts-send">Send</button></form>
    <button id="abort" type="button" onClick={upload.abort}>Abort</button>
    <p id="pending">{String(upload.isPending)}</p><p id="seen">{JSON.stringify(seen)}</p>
    <p id="data">{upload.data ?? 'none'}</p><p id="error">{upload.error?.message ?? 'none'}</p>
  </>
}
`,
  'pages/upload.server.ts': `
export async function action({ app, form }) {
  const file = form.get('file')
  app.done({ path: '/upload', text: file?.name })
  return file ? file.name + ' ' + file.size : 'text'
}
`,
  'pages/renames.tsx': `
import { useSubmission } from 'hydrant/react'
export default function Renames() {
  const rename = useSubmission('/renames')
  return <>
    <h1>Renames</h1>
    <form {...rename.form}>
      <input id="first" name="first" defaultValue="first" /><input id="text" name="text" defaultValue="typed" />
      <button id="send">Send</button><p id="issues">{rename.invalid?.issues.text}</p><p id="data">{rename.data ?? 'none'}</p>
    </form>
  </>
}
`,
  'pages/renames.server.ts': `
import { invalidForm } from 'hydrant'
export function action({ form }) {
  if (form.get('text') === 'typed') invalidForm({ text: 'Is taken', '': 'Choose another name.' })
  return form.get('text')
}
`,
  'pages/kinds.tsx': `
import { useSubmission } from 'hydrant/react'
export default function Kinds() {
  const send = useSubmission('/other')
  return <>
    <h1>Kinds</h1>
    <form {...send.form} id="form"><input name="text" defaultValue="initial" /><button id="send">Send</button>
      <button id="elsewhere" formAction="/form" name="intent" value="ok">Elsewhere</button></form>
    <input form="form" name="more" defaultValue="outside" /><button id="outside" form="form" name="button" value="outside">Outside</button>
    <p id="data">{send.data?.text ?? 'none'}</p>
    <dialog id="dialog">
      <form {...send.form} id="in-dialog"><input name="text" defaultValue="in a dialog" /><button id="dialog-send">Send</button></form>
      <form method="dialog"><button id="dialog-close">Close</button></form>
    </dialog>
    <button id="show" type="button" onClick={() => document.querySelector('#dialog').showModal()}>Show</button>
    <form {...send.form} id="handled" onSubmit={(event) => { event.currentTarget.dataset.seen = 'seen'; send.form.onSubmit(event) }}>
      <input name="text" defaultValue="handled" /><button id="handled-send">Send</button></form>
  </>
}
`,
}

/** Builds and starts the site. */
export async function startSubmissions(t: Test, env: Record<string, string> = {}) {
  const inPlace = await startInPlace(t, FILES, env)
  return {
    ...inPlace,
    /** Sets how the load of `/list` ends, and whether its reviews wait at the gate `reviews`. */
    async set(values: { load?: 'redirect' | 'failure' | 'refusal' | 'data'; reviews?: 'slow' | 'fast' }) {
      await fetch(`${inPlace.origin}/set?${new URLSearchParams(values)}`)
    },
  }
}
