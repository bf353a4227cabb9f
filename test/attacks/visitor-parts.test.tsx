// Many visitors with secrets ask for pages with stored shells at the same time. Components and loads read whatever they
// can reach of a request.

import { Suspense, use } from 'react'
import t from 'tap'
import { HttpError, type LoadContext, perRequest } from '../../src/server/index.ts'
import { LAYOUTS_HEADER } from '../../src/shared/wire/navigation-protocol.ts'
import { marked } from '../server/lines.ts'
import { HTML } from '../server/served.ts'
import { navigationHeaders, testSite } from '../test-site.ts'
import { type VisitorContext, visitors, visitorsPlugin } from './visitors-plugin.ts'

const once = perRequest(({ request }: LoadContext) => Reflect.get(request, 'user'))

/** The steps of the shared load, of the load of the visitor, and of the components. Each letter is a part of the path. */
const STEPS: Record<string, (ctx: VisitorContext & LoadContext) => unknown> = {
  w: () => new Promise((resolve) => setImmediate(resolve, 'waited')),
  n: () => 'nothing',
  c: ({ request }) => request.headers.cookie,
  u: ({ request }) => request.user,
  o: (ctx) => once(ctx),
  a: () => visitors.getStore() ?? 'none',
  s: ({ reply, request }) => void reply.header('x-own', String(request.user)),
  p: ({ context }) => context.member ?? 'no member',
  f: ({ request }) => {
    throw new HttpError(403, `refused ${request.user}`)
  },
  e: ({ request }) => {
    throw new Error(`failed ${request.user}`)
  },
}
/** Runs the steps of the first or second part of the plan. */
async function run(part: 0 | 1, ctx: VisitorContext & LoadContext) {
  const text: unknown[] = []
  for (const step of ctx.params.plan?.split('-')[part] ?? '') text.push(await STEPS[step]?.(ctx))
  return text
}

const stored = () => String(visitors.getStore())
/** It keeps what the first visitor has waited for. */
const waited = new Map<string, Promise<string>>()
function Waits({ name }: { name: string }) {
  const promise = waited.get(name) ?? new Promise((resolve) => setImmediate(resolve, 'kept'))
  waited.set(name, promise)
  return <i>{use(promise)}</i>
}
const Late = ({ promise }: { promise: Promise<unknown> }) => <p>{JSON.stringify(use(promise))}</p>
interface Visitor {
  user: unknown
  text: unknown
  late: Promise<unknown>
}
function Part({ promise }: { promise: Promise<Visitor> }) {
  const { user, text, late } = use(promise)
  return (
    <section>
      {`part ${user} ${JSON.stringify(text)}${stored()}`}
      <Suspense fallback="…">
        <Late promise={late} />
      </Suspense>
    </section>
  )
}
interface Props {
  data: { text: unknown; late: Promise<unknown> }
  visitorData: Promise<Visitor>
  params: { plan: string }
}
const Page = ({ data, visitorData, params }: Props) => (
  <main>
    <header>{`shell of ${stored()}`}</header>
    <Suspense fallback="…">
      <Late promise={data.late} />
    </Suspense>
    <Suspense fallback="…">
      <Waits name={params.plan} />
    </Suspense>
    <Suspense fallback={<b>{`fallback for ${stored()}`}</b>}>
      <Part promise={visitorData} />
    </Suspense>
    <footer>{JSON.stringify(data.text)}</footer>
  </main>
)

const pageOf = (staleS: number) => ({
  Component: Page,
  cache: { maxAgeS: staleS > 0 ? 0 : 60, staleS },
  load: async (ctx: VisitorContext & LoadContext) => ({ text: await run(0, ctx), late: run(0, ctx) }),
  loadVisitor: async (ctx: VisitorContext & LoadContext) => ({
    user: ctx.request.user,
    text: await run(1, ctx),
    late: Promise.resolve(ctx.request.user),
  }),
})
const guard = ({ request }: VisitorContext) => ({ member: request.user })
const KINDS = { fresh: pageOf(0), stale: pageOf(60), guarded: { ...pageOf(60), guard } }
const site = Object.fromEntries(Object.entries(KINDS).map(([name, page]) => [`/${name}/[plan]`, page]))

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
  const { get, app } = await testSite(t, site, { server: visitorsPlugin, ledger: false, pageCache: { header: true } })
  const results: Record<string, number> = {}
  for (let run = 0; run < 30; run++) {
    const plans = [some(SHARED), some(SHARED)].map((shared) => `${shared}-${some(OWN)}`)
    const asked = Array.from({ length: 4 + below(12) }, () => ({
      path: `/${Object.keys(KINDS)[below(3)]}/${plans[below(2)]}`,
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
              ? await get(marked(path), { ...own, ...navigationHeaders(), [LAYOUTS_HEADER]: '' })
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
