// A site with fields in parts that the browser hydrates late: their data is deferred, or their script is slow.

import type { Files } from '../server/served.ts'

const options = "{['a', 'b', 'c'].map((value) => <option key={value}>{value}</option>)}"

/**
 * A part whose data is deferred, a part whose script is slow, and such a part in a layout that React renders again while
 * a form is being sent.
 */
export const PARTS = ['deferred', 'lazy', 'updated'] as const

export type Part = (typeof PARTS)[number]

function layout(part: Part): string {
  const Fields =
    part === 'deferred'
      ? "import { Fields } from '../../components/deferred-fields.tsx'\n"
      : "const Fields = lazy(() => import('../../components/slow-fields.tsx'))\n"
  return `
import { lazy, Suspense } from 'react'
import { refresh, useNavigation, useSubmission } from 'hydrant/react'
import { Steady } from '../../components/steady.tsx'
${Fields}
export default function Layout({ data, children }) {
  const hooked = useSubmission('/views')
  return <>
    <form id="outer" method="post"><button id="same" name="intent" value="same">same</button>
      <button id="here" name="intent" value="here">here</button><button id="there" name="intent" value="there">there</button></form>
    <form {...hooked.form}><button id="hooked">Hooked</button></form>
    <button id="refresh" onClick={() => void refresh()}>Refresh</button><a id="link" href="/${part}/there">Link</a>
    <b id="round">{data.round}</b>${part === 'updated' ? '<i>{useNavigation().state}</i>' : ''}
    {children}
    <Suspense fallback={<p>Wait</p>}><Steady data={data} /></Suspense>
    <Suspense fallback={<p>Wait</p>}><Fields data={data} /></Suspense>
  </>
}
`
}

const LOAD = `
import { get, waitFor } from '../../stored.server.ts'
export function load() {
  const data = get()
  return { ...data, steady: waitFor('steady', data), later: waitFor('late', data) }
}
`

const ACTION = `
import { redirect } from 'hydrant'
import { next } from '../../stored.server.ts'
export async function action({ form, url }) {
  await next()
  const intent = form.get('intent')
  const folder = url.pathname.split('/')[1]
  if (intent === 'here') redirect('/' + folder)
  if (intent === 'there') redirect('/' + folder + '/there')
}
`

export const LATE_FIELDS_SITE: Files = {
  'server.ts': `
import { clear, isActing, letActionGo, letGo, next } from './stored.server.ts'
export default async function server(app) {
  app.get('/clear', async () => clear())
  app.get('/acting', async () => ({ isActing: isActing() }))
  app.get('/act', async () => letActionGo())
  app.get('/next', async () => { void next(); return letActionGo() })
  app.get('/:part/arrives/:round', async ({ params }) => letGo(params.part + params.round))
}
`,
  'stored.server.ts': `
const VALUES = ['a', 'b', 'c']
let round, gates, action
function gate() {
  let open
  const passed = new Promise((resolve) => { open = resolve })
  return { passed, open }
}
export function clear() {
  round = 0
  gates = new Map()
  action = undefined
  return {}
}
clear()
function valuesOf(round) {
  const choice = VALUES[round]
  return { round, text: 'text ' + choice, area: 'area ' + choice, choice, box: round === 0 }
}
export const get = () => valuesOf(round)
export async function next() {
  action = gate()
  await action.passed
  action = undefined
  round++
}
export const isActing = () => action !== undefined
export function letActionGo() {
  action?.open()
  return {}
}
function gateOf(name) {
  if (!gates.has(name)) gates.set(name, gate())
  return gates.get(name)
}
export async function waitFor(part, data) {
  await gateOf(part + data.round).passed
  return data
}
export function letGo(name) {
  gateOf(name).open()
  return {}
}
`,
  'components/fields.tsx': `
import { useEffect } from 'react'
const VALUES = ['a', 'b', 'c']
export function Fields({ data }) {
  // No text, because React renders a part anew whose text differs.
  useEffect(() => { document.documentElement.dataset.late = data.round }, [data.round])
  return <form id="inner" method="post">{['', '2'].map((set) => <section key={set}>
    <input id={'text' + set} name={'text' + set} defaultValue={data.text} />
    <textarea id={'area' + set} name={'area' + set} defaultValue={data.area} />
    <input id={'box' + set} name={'box' + set} type="checkbox" defaultChecked={data.box} />
    {VALUES.map((value) => <input key={value} id={value + set} name={'kind' + set} type="radio" value={value} defaultChecked={data.choice === value} />)}
    <select id={'choice' + set} name={'choice' + set} defaultValue={data.choice}>${options}</select>
    <select id={'many' + set} name={'many' + set} multiple defaultValue={[data.choice]}>${options}</select>
    <select id={'grouped' + set} name={'grouped' + set} defaultValue={data.choice}><optgroup label="1"><option>a</option></optgroup><optgroup label="2"><option>b</option><option>c</option></optgroup></select>
  </section>)}<input id="comment" name="comment" />
    <button id="inside" name="intent" value="same">same</button><button id="insideHere" name="intent" value="here">here</button><button id="insideThere" name="intent" value="there">there</button>
  </form>
}
`,
  'components/steady.tsx': `
import { use } from 'react'
export function Steady({ data }) {
  globalThis.given = data.round
  return <p id="steady">{use(data.steady).round}</p>
}
`,
  'components/deferred-fields.tsx': `
import { use } from 'react'
import { Fields as Plain } from './fields.tsx'
export const Fields = ({ data }) => <Plain data={use(data.later)} />
`,
  'components/slow-fields.tsx':
    "import { Fields } from './deferred-fields.tsx'\nexport default ({ data }) => <Fields data={data} />\n",
  'pages/views.tsx': 'export default () => null\n',
  'pages/views.server.ts': "import { next } from '../stored.server.ts'\nexport const action = () => next()\n",
  ...Object.fromEntries(
    PARTS.flatMap((part) => [
      [`pages/${part}/layout.tsx`, layout(part)],
      [`pages/${part}/layout.server.ts`, LOAD],
      [`pages/${part}/index.tsx`, 'export default () => <h1>Here</h1>\n'],
      [`pages/${part}/index.server.ts`, ACTION],
      [`pages/${part}/there.tsx`, 'export default () => <h1>There</h1>\n'],
      [`pages/${part}/there.server.ts`, ACTION],
    ]),
  ),
}
