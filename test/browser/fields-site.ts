// A site with every kind of field. Its actions store other values than those that were sent, so that what a field shows
// tells where it comes from.

import type { Files } from '../server/served.ts'

const options = "{['a', 'b', 'c'].map((value) => <option key={value}>{value}</option>)}"

export const FIELDS_SITE: Files = {
  'server.ts': `
import { clear, last, letGo, OTHER, set } from './stored.server.ts'
export default async function server(app) {
  app.get('/clear', async () => clear())
  app.get('/sent', async () => last())
  app.get('/go', async () => letGo() ?? {})
  app.get('/other', async () => set(OTHER) ?? {})
  app.get('/route', async (request, reply) => reply.type('text/html').send('<p id="there">route</p>'))
  app.get('/file', async (request, reply) => reply.header('content-disposition', 'attachment; filename=a.txt').send('a file'))
}
`,
  'stored.server.ts': `
const START = {
  round: 0, text: 'start', number: 1, day: '2030-01-01', range: 1, color: '#ABCDEF', area: 'start', box: true, ticked: false,
  kind: 'a', choice: 'a', many: ['a', 'b'], grouped: 'a', none: null, outside: 'start', outsideChoice: 'a', late: 'a', keyed: 'start',
}
const NEXT = { a: 'b', b: 'c', c: 'a' }
let stored = START
let sent = {}
export const OTHER = { round: 7, text: 'other', choice: 'c', kind: 'c', many: ['c'], box: false, late: 'c', none: 'c', color: '#0A0B0C', range: 9 }
let go = () => {}
export const waitForGo = () => new Promise((resolve) => { go = resolve })
export const letGo = () => go()
export const get = () => stored
export const last = () => sent
export const set = (values) => void (stored = { ...stored, ...values })
export const clear = () => { stored = START; sent = {}; return {} }
export function save(form) {
  const round = stored.round + 1
  const text = (name) => String(form.get(name))
  sent = { ...Object.fromEntries([...form].filter(([, value]) => typeof value === 'string')), many: form.getAll('many').join(), round: String(round) }
  stored = {
    round,
    text: text('text').toUpperCase(), number: Number(form.get('number')) + 1, day: '2030-03-0' + round, range: Number(form.get('range')) + 1,
    color: '#0A0B0' + round, area: text('area').toUpperCase(), box: !form.has('box') && round > 1, ticked: form.has('ticked') && round < 2,
    kind: NEXT[text('kind')], choice: NEXT[text('choice')], many: form.getAll('many').map((value) => NEXT[value]), grouped: NEXT[text('grouped')],
    none: form.get('none') === 'b' ? 'c' : null, outside: text('outside').toUpperCase(), outsideChoice: NEXT[text('outsideChoice')],
    late: NEXT[text('late')], keyed: text('keyed').toUpperCase(),
  }
}
`,
  'components/fields.tsx': `
import { Suspense, use } from 'react'
function Late({ later }) {
  return <select id="late" name="late" form="form" defaultValue={use(later)}>${options}</select>
}
export function Fields({ data }) {
  return <>
    <input id="text" name="text" defaultValue={data.text} />
    <input id="number" name="number" type="number" defaultValue={data.number} />
    <input id="day" name="day" type="date" defaultValue={data.day} />
    <input id="range" name="range" type="range" max="50" defaultValue={data.range} />
    <input id="color" name="color" type="color" defaultValue={data.color} />
    <textarea id="area" name="area" defaultValue={data.area} />
    <input id="box" name="box" type="checkbox" defaultChecked={data.box} />
    <input id="ticked" name="ticked" type="checkbox" {...(data.ticked && { defaultChecked: true })} />
    {['a', 'b', 'c'].map((value) => <input key={value} id={value} name="kind" type="radio" value={value} defaultChecked={data.kind === value} />)}
    <select id="choice" name="choice" defaultValue={data.choice}>${options}</select>
    <select id="many" name="many" multiple defaultValue={data.many}>${options}</select>
    <select id="grouped" name="grouped" defaultValue={data.grouped}><optgroup label="1"><option>a</option></optgroup><optgroup label="2"><option>b</option><option>c</option></optgroup></select>
    <select id="none" name="none" {...(data.none && { defaultValue: data.none })}><option disabled>x</option>${options}</select>
    <select id="sized" name="sized" size={3} {...(data.none && { defaultValue: data.none })}>${options}</select>
    <select id="twin" name="twin" defaultValue={data.choice}>${options}<option>a</option></select>
    <input id="keyed" key={data.round} name="keyed" defaultValue={data.keyed} />
    <output id="output">round {data.round} <b>of</b> many</output>
    <Suspense fallback={<p>Wait</p>}><Late later={data.later} /></Suspense>
  </>
}
`,
  'pages/fields.tsx': `
import { Fields } from '../components/fields.tsx'
export default function Page({ data }) {
  return <>
    <form id="form" method="post">
      <Fields data={data} />
      {['data', 'same', 'query', 'twice', 'site', 'route', 'file', 'plain', 'slow'].map((intent) => <button key={intent} id={intent} name="intent" value={intent}>{intent}</button>)}
    </form>
    <input id="outside" form="form" name="outside" defaultValue={data.outside} />
    <select id="outsideChoice" form="form" name="outsideChoice" defaultValue={data.outsideChoice}>${options}</select>
    <p id="round">{data.round}</p>
  </>
}
`,
  'pages/fields.server.ts': `
import { redirect } from 'hydrant'
import { get, save, waitForGo } from '../stored.server.ts'
export function load() {
  const { late, ...data } = get()
  return { ...data, later: new Promise((resolve) => setTimeout(resolve, 20, late)) }
}
export async function action({ form, url, reply }) {
  const intent = form.get('intent')
  if (intent === 'slow') await waitForGo()
  save(form)
  if (intent === 'same') redirect('/fields')
  if (intent === 'query') redirect('/fields?saved=1')
  if (intent === 'site') return reply.redirect('http://localhost:' + url.port + '/route', 303)
  if (intent === 'route') redirect('/route')
  if (intent === 'file') redirect('/file')
  if (intent === 'plain') redirect('/plain')
  return { intent }
}
`,
  'pages/controlled.tsx': `
import { memo, useState } from 'react'
import { useNavigation } from 'hydrant/react'
// React does not render it again when the form is reset.
const Own = memo(() => {
  const [choice, setChoice] = useState('a')
  const [box, setBox] = useState(false)
  const [text, setText] = useState('start')
  return <>
    <select id="ownChoice" value={choice} onChange={({ target }) => setChoice(target.value)}>${options}</select>
    <input id="ownBox" type="checkbox" checked={box} onChange={({ target }) => setBox(target.checked)} />
    <input id="ownText" value={text} onChange={({ target }) => setText(target.value)} />
  </>
})
const START = { text: 'start', number: '1', area: 'start', color: '#000001', box: true, ticked: false, kind: 'a', choice: 'a', many: ['a'] }
export default function Page({ actionData, url }) {
  const [state, setState] = useState(START)
  const [resets, setResets] = useState(0)
  const [message, setMessage] = useState('')
  const { state: going } = useNavigation()
  const text = (name) => ({ id: name, name, value: state[name], onChange: ({ target: { value } }) => setState((old) => ({ ...old, [name]: value })) })
  const box = (name) => ({ id: name, name, type: 'checkbox', checked: state[name], onChange: ({ target: { checked } }) => setState((old) => ({ ...old, [name]: checked })) })
  const chosen = ({ target: { selectedOptions } }) => setState((old) => ({ ...old, many: [...selectedOptions].map(({ value }) => value) }))
  function onReset(event) {
    setResets((count) => count + 1)
    if (url.search === '?clear') setState(START)
    if (url.search === '?stop') event.stopPropagation()
    if (url.search === '?keep') event.preventDefault()
  }
  return <>
    <form method="post" onReset={onReset}>
      <input {...text('text')} />
      <input {...text('number')} type="number" />
      <input {...text('color')} type="color" />
      <textarea {...text('area')} />
      <input {...box('box')} /><input {...box('ticked')} />
      {['a', 'b', 'c'].map((value) => <input key={value} {...text('kind')} id={value} type="radio" value={value} checked={state.kind === value} />)}
      <select {...text('choice')}>${options}</select>
      <select id="many" name="many" multiple value={state.many} onChange={chosen}>${options}</select>
      <Own /><output id="sum">start</output><output id="plain">plain</output><input id="free" name="free" defaultValue="start" />
      <button id="send">Send</button><button id="reset" type="reset">Reset</button>
    </form>
    <form method="post"><input id="message" name="message" value={message} onChange={({ target }) => setMessage(target.value)} /></form>
    <p id="state">{JSON.stringify(state)}</p><p id="resets">{resets}</p><p id="late">{going} {actionData?.count}</p>
  </>
}
`,
  'pages/controlled.server.ts': 'let count = 0\nexport const action = () => ({ count: ++count })\n',
  'pages/hooked.tsx': `
import { useEffect, useState } from 'react'
import { refresh, useSubmission } from 'hydrant/react'
import { Fields } from '../components/fields.tsx'
export default function Page({ data }) {
  const store = useSubmission('/fields')
  const other = useSubmission('/views')
  const [isMade, setMade] = useState(false)
  useEffect(() => setMade(true), [])
  return <>
    <form id="form" {...store.form}><Fields data={data} /><button id="send">Send</button></form>
    <input id="comment" form="form" name="comment" defaultValue="" />
    {['a', 'b', 'c'].map((value) => <input key={value} id={'alone-' + value} name="kind" type="radio" value={value} defaultChecked={data.kind === value} />)}
    <form {...other.form}><button id="other">Other</button></form>
    <button id="refresh" onClick={() => void refresh()}>Refresh</button><a id="link" href="/hooked?page=2">Link</a>
    {isMade && <input id="made" type="color" defaultValue={data.color} />}
    <p id="round">{data.round}</p><p id="count">{data.count}</p>
  </>
}
`,
  'pages/hooked.server.ts': `
import { get } from '../stored.server.ts'
let count = 0
export function load() {
  const { late, ...data } = get()
  return { ...data, count: ++count, later: Promise.resolve(late) }
}
`,
  'pages/search.tsx': `
export default function Page({ url: { searchParams } }) {
  const q = searchParams.get('q') ?? undefined
  const kinds = searchParams.getAll('kinds')
  return <>
    <form><input id="q" name="q" defaultValue={q} /><input id="other" name="other" />
      <input id="a" name="kinds" value="a" type="checkbox" defaultChecked={kinds.includes('a')} />
      <select id="sort" name="sort" defaultValue={searchParams.get('sort') ?? undefined}>${options}</select>
      <button id="send">Send</button></form>
    <p id="late">{String(searchParams)}</p><a id="link" href="/search?q=linked&sort=c&kinds=a">Link</a>
  </>
}
`,
  'pages/views.tsx': 'export default () => null\n',
  'pages/views.server.ts': "import { OTHER, set } from '../stored.server.ts'\nexport const action = () => set(OTHER)\n",
  'pages/plain.tsx': 'export const hydrate = false\nexport default () => <p id="there">plain</p>\n',
}
