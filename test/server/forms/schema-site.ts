// A site whose pages have schemas of several libraries.

import type { Files } from '../served.ts'

export const SCHEMA_SITE: Files = {
  'pages/error.tsx': `
export default function Failed({ status, message, retry }) {
  return <><p id="failed">{[status, message].join('|')}</p><button id="retry" onClick={() => retry()}>Again</button></>
}
`,
  'pages/layout.tsx': `
export default function Layout({ data, params, children }) {
  return <html lang="en"><head><title>schemas</title></head><body>
    <p id="layout">{JSON.stringify(data)}</p><main>{children}</main>
  </body></html>
}
`,
  'pages/layout.server.ts': `
let loads = 0
export const load = ({ params, search }) => ({ params, hasSearch: search !== undefined, loads: ++loads })
`,
  'pages/signup.tsx': `
export default function Signup({ actionData, invalid, fields }) {
  return (
    <form method="post" encType="multipart/form-data" noValidate>
      <p id="done">{JSON.stringify(actionData)}</p>
      <p id="whole" role="alert">{invalid?.issues['']}</p>
      <input id="name" {...fields.name} />
      <p id={fields.name.errorId}>{fields.name.issues}</p>
      <input id="email" defaultValue="initial@example.org" {...fields.email} />
      <p id={fields.email.errorId}>{fields.email.issues}</p>
      <input id="password" type="password" {...fields.password} />
      <input id="age" {...fields.age} />
      <p id={fields.age.errorId}>{fields.age.issues}</p>
      <select id="size" {...fields.size}><option>S</option><option>L</option></select>
      <input id="news" type="checkbox" {...fields.topics.option('news')} />
      <input id="events" type="checkbox" defaultChecked {...fields.topics.option('events')} />
      <input id="first" {...fields['items[0].name']} />
      <p id={fields['items[0].name'].errorId}>{fields['items[0].name'].issues}</p>
      <input id="file" {...fields.photo} />
      <button id="send">Send</button>
    </form>
  )
}
`,
  'pages/signup.server.ts': `
import { invalidForm } from 'hydrant'
import { z } from 'zod'
export const form = z.object({
  name: z.string().min(2, 'Too short'),
  email: z.email('Not an address'),
  password: z.string().min(8, 'Too short'),
  age: z.coerce.number('Not a number').int().min(18, 'Too young'),
  size: z.enum(['S', 'L']),
  topics: z.array(z.string()),
  items: z.array(z.object({ name: z.string().min(1, 'Needs a name') })).optional(),
  photo: z.file().optional(),
})
let runs = 0
export const load = () => ({ runs })
export function action({ input, form: sent }) {
  runs++
  if (input.name === 'taken') invalidForm({ name: 'Is taken', '': ['Try', 'again'] })
  if (input.name === 'fails') throw new Error('SECRET-MARKER')
  return { input: { ...input, photo: input.photo?.name }, isForm: sent instanceof FormData, runs }
}
`,
  'pages/optional.tsx': 'export default ({ invalid, actionData }) => <p>{JSON.stringify(invalid ?? actionData)}</p>\n',
  'pages/optional.server.ts': `
import { z } from 'zod'
const toDate = z.string().transform((text) => new Date(text)).pipe(z.date('No date'))
const trimmed = z.string().transform((text) => text.trim())
const fields = z.object({
  name: z.string().min(2, 'Too short'),
  born: z.coerce.date().optional(),
  news: z.stringbool().optional(),
  nickname: z.string().optional(),
  note: trimmed.optional(),
  trip: z.object({ from: toDate.optional(), to: toDate.optional() }).optional(),
})
export const search = fields.omit({ name: true })
export const form = fields
  .refine(({ name, trip }) => name !== 'traveler' || trip?.from, { path: ['trip', 'from'], error: 'Choose a day' })
  .refine(({ name, nickname }) => name !== 'nameless' || nickname !== '', { path: ['nickname'], error: 'Missing' })
export const load = ({ search }) => search
export const action = ({ input }) => input
`,
  'pages/valibot.tsx': 'export default ({ invalid, actionData }) => <p>{JSON.stringify(invalid ?? actionData)}</p>\n',
  'pages/valibot.server.ts': `
import * as v from 'valibot'
export const form = v.object({ email: v.pipe(v.string(), v.email('Not an address')), 'topics': v.array(v.string()) })
export const action = ({ input }) => input
`,
  'pages/arktype.tsx': 'export default ({ invalid, actionData }) => <p>{JSON.stringify(invalid ?? actionData)}</p>\n',
  'pages/arktype.server.ts': `
import { type } from 'arktype'
export const form = type({ email: 'string.email', age: 'string.integer.parse', password: 'string >= 8' })
export const action = ({ input }) => input
`,
  'pages/plain.tsx': 'export default ({ invalid, fields }) => <p>{JSON.stringify({ invalid, fields })}</p>\n',
  'pages/plain.server.ts': `
import { invalidForm } from 'hydrant'
export const load = ({ url }) => { if (url.searchParams.has('misuse')) invalidForm({ a: 'b' }) }
export const action = () => invalidForm({ a: 'Not this' })
`,
  'pages/strange.tsx': 'export default () => <p>strange</p>\n',
  'pages/strange.server.ts': `
const standard = (validate) => ({ '~standard': { version: 1, vendor: 'own', validate } })
export const form = standard((value) => {
  if (value.kind === 'throws') throw new Error('SECRET-MARKER')
  if (value.kind === 'rejects') return Promise.reject('SECRET-MARKER')
  if (value.kind === 'hangs') return new Promise(() => {})
  return { value }
})
export const action = () => 'ran'
`,
  'pages/products/index.tsx': `
export default ({ search, data }) => <p id="search">{JSON.stringify([search, data])}</p>
`,
  'pages/products/index.server.ts': `
import { z } from 'zod'
export const search = z.object({
  page: z.coerce.number().int().min(1).default(1),
  tags: z.array(z.string()).default([]),
  price: z.object({ max: z.coerce.number().optional() }).optional(),
  since: z.coerce.date().optional(),
})
export const load = ({ search }) => search.page
export const action = ({ search }) => search.page
`,
  'pages/products/[id].tsx': 'export default ({ params }) => <p id="id">{typeof params.id} {params.id}</p>\n',
  'pages/products/[id].server.ts': `
import { z } from 'zod'
export const params = z.object({ id: z.coerce.number().int() })
export const load = ({ params }) => params
export const action = ({ params }) => params
`,
  'pages/guarded/layout.tsx': 'export default ({ children }) => children\n',
  'pages/guarded/layout.server.ts': `
import { HttpError } from 'hydrant'
export function guard({ request, params, search }) {
  if (request.headers['x-user'] !== 'ada') throw new HttpError(401, 'Sign in')
  return { outer: [params, search] }
}
`,
  'pages/guarded/[id].tsx': 'export default () => <p>guarded</p>\n',
  'pages/guarded/[id].server.ts': `
import { z } from 'zod'
export const params = z.object({ id: z.coerce.number() })
export const search = z.object({ page: z.coerce.number() })
export const guard = ({ params, search }) => ({ own: [params, search] })
export const load = ({ context }) => context
export const action = ({ context, params, search }) => ({ context, params, search })
`,
  'pages/unsendable.tsx': 'export default () => <p>never</p>\n',
  'pages/unsendable.server.ts': `
import { z } from 'zod'
export const search = z.object({}).transform(() => ({ run: () => {} }))
`,
}
