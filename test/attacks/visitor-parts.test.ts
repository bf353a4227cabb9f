// Many visitors with secrets ask for pages with stored shells at the same time. Components and loads read whatever they
// can reach of a request.

import t from 'tap'
import { BUILD_HEADER, LAYOUTS_HEADER, NAVIGATION_MARK } from '../../src/shared/wire/navigation-protocol.ts'
import { buildFiles, HTML, serve } from '../server/served.ts'
import { VISITORS_PLUGIN } from './visitors-plugin.ts'

/** The steps of the shared load, of the load of the visitor, and of the components. Each letter is a part of the path. */
const STEPS = `import { perRequest, HttpError } from 'hydrant'
const once = perRequest(({ request }) => request.user)
let latest
export const steps = {
  w: () => new Promise((resolve) => setImmediate(resolve, 'waited')),
  n: () => 'nothing',
  c: ({ request }) => request.headers.cookie,
  u: ({ request }) => request.user,
  o: (ctx) => once(ctx),
  a: () => visitors.getStore() ?? 'none',
  s: ({ reply, request }) => void reply.header('x-own', String(request.user)),
  p: ({ context }) => context.member ?? 'no member',
  f: ({ request }) => { throw new HttpError(403, 'refused ' + request.user) },
  e: ({ request }) => { throw new Error('failed ' + request.user) },
}
export const run = async (plan, ctx) => {
  const text = []
  for (const step of plan) text.push(await steps[step](ctx))
  return text
}
`
const server = (staleS: number, guard: string) => `import { run } from '../../steps.server.ts'
export const cache = { maxAgeS: ${staleS > 0 ? 0 : 60}, staleS: ${staleS} }
${guard}
export const load = async (ctx) => ({ text: await run(ctx.params.plan.split('-')[0], ctx), late: run(ctx.params.plan.split('-')[0], ctx) })
export const loadVisitor = async (ctx) => ({ user: ctx.request.user, text: await run(ctx.params.plan.split('-')[1], ctx), late: Promise.resolve(ctx.request.user) })
`
const page = `import { Suspense, use } from 'react'
const stored = () => (typeof visitors === 'undefined' ? '' : String(visitors.getStore()))
// It keeps what the first visitor has waited for.
const waited = new Map()
function Waits({ name }) {
  if (typeof visitors === 'undefined') return null
  if (!waited.has(name)) waited.set(name, new Promise((resolve) => setImmediate(resolve, 'kept')))
  return <i>{use(waited.get(name))}</i>
}
const Late = ({ promise }) => <p>{JSON.stringify(use(promise))}</p>
function Part({ promise }) {
  const { user, text, late } = use(promise)
  return <section>{'part ' + user + ' ' + JSON.stringify(text) + stored()}<Suspense fallback="…"><Late promise={late} /></Suspense></section>
}
export default function Page({ data, visitorData, params }) {
  return (
    <main>
      <header>{'shell of ' + stored()}</header>
      <Suspense fallback="…"><Late promise={data.late} /></Suspense>
      <Suspense fallback="…"><Waits name={params.plan} /></Suspense>
      <Suspense fallback={<b>{'fallback for ' + stored()}</b>}><Part promise={visitorData} /></Suspense>
      <footer>{JSON.stringify(data.text)}</footer>
    </main>
  )
}
`
const GUARD = 'export const guard = ({ request }) => ({ member: request.user })'
const kinds = { fresh: server(0, ''), stale: server(60, ''), guarded: server(60, GUARD) }

const dir = await buildFiles(t.testdir({}), {
  'steps.server.ts': STEPS,
  'server.ts': VISITORS_PLUGIN,
  ...Object.fromEntries(
    Object.entries(kinds).flatMap(([name, source]) => [
      [`pages/${name}/[plan].tsx`, page],
      [`pages/${name}/[plan].server.ts`, source],
    ]),
  ),
})

let state = 11
/** Returns a whole number below `end`. The same numbers come in each run. */
function below(end: number): number {
  state = (state * 48_271) % 2_147_483_647
  return state % end
}
/** The loads of most shells read nothing of the visitor. */
const SHARED = `${'wna'.repeat(6)}cuosfe`
const OWN = 'wncuoaspfe'
const some = (letters: string) => Array.from({ length: 1 + below(2) }, () => letters[below(letters.length)]).join('')

t.test('no response contains the secret of another visitor, whatever is read', async (t) => {
  const { get, app } = await serve(t, dir, { ledger: false, pageCache: { header: true } })
  const build = /"build":"([^"]+)"/.exec((await get('/')).body)?.[1] ?? ''
  const results: Record<string, number> = {}
  for (let run = 0; run < 30; run++) {
    const plans = [some(SHARED), some(SHARED)].map((shared) => `${shared}-${some(OWN)}`)
    const asked = Array.from({ length: 4 + below(12) }, () => ({
      path: `/${Object.keys(kinds)[below(3)]}/${plans[below(2)]}`,
      secret: `secret${below(6)}x`,
      form: below(6),
    }))
    await Promise.all(
      asked.map(async ({ path, secret, form }, index) => {
        const own = { 'x-user': secret, cookie: `s=${secret}`, ...(form === 3 && { 'accept-encoding': 'identity' }) }
        if (index === 3) await app.pageCache.invalidate({ path })
        const response =
          form === 0
            ? await get(path, { accept: 'application/json', ...own })
            : form === 1
              ? await get(`${path}?${NAVIGATION_MARK}`, { ...own, [BUILD_HEADER]: build, [LAYOUTS_HEADER]: '' })
              : await get(path, { ...HTML, ...own })
        const { body, headers } = response
        const found = [...(body + JSON.stringify(headers)).matchAll(/secret\dx/g)].map(([text]) => text)
        const others = found.filter((text) => text !== secret)
        if (others.length > 0) t.fail(`${path}: ${others[0]} for ${secret}`)
        const result = String(headers['hydrant-cache'])
        results[result] = (results[result] ?? 0) + 1
        // What is stored knows no visitor at all.
        const shell = body.slice(0, body.indexOf('[0,"open"'))
        if (form > 1 && result !== 'pass' && response.statusCode === 200) {
          if (/secret/.test(shell)) t.fail(`${path}: ${result} with a visitor in its shell`)
          if (!/[ef]/.test(path.split('-')[1] ?? '') && !body.includes(`part ${secret}`))
            t.fail(`${path}: ${result} without the part of ${secret}`)
        }
      }),
    )
  }
  for (const result of ['hit', 'miss', 'stale', 'pass'])
    t.ok((results[result] ?? 0) > 5, `${result}: ${results[result]}`)
})
