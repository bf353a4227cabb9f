// Many visitors with secrets ask for random pages at the same time, in each form, with and without a cache. In between,
// somebody removes stored pages.

import t from 'tap'
import { HttpError } from '../../src/server/index.ts'
import { marked } from '../server/lines.ts'
import { HTML } from '../server/served.ts'
import { navigationHeaders, testSite } from '../test-site.ts'
import { type VisitorContext, visitors, visitorsPlugin } from './visitors-plugin.ts'

/** What a load does, in its order. Each letter is a part of the path. */
const STEPS: Record<string, (ctx: VisitorContext) => unknown> = {
  c: ({ request }) => request.headers.cookie,
  u: ({ request }) => request.user,
  i: ({ request }) => request.ip,
  h: ({ request }) => Object.keys(request.headers).length + JSON.stringify(request.headers),
  r: ({ request }) => request.raw.headers['x-user'],
  q: ({ reply }) => reply.request.user,
  a: () => visitors.getStore() ?? 'none',
  s: ({ reply, request }) => void reply.header('x-own', String(request.user)),
  k: ({ reply }) => void reply.header('set-cookie', 'a=b'),
  p: ({ url, params }) => url.pathname + params.plan,
  w: () => new Promise((resolve) => setImmediate(resolve, 'waited')),
  d: ({ request }) => ({ late: new Promise((resolve) => setImmediate(() => resolve(String(request.user)))) }),
  f: ({ request }) => {
    throw new HttpError(403, `refused ${request.user}`)
  },
  n: () => 'nothing',
}

async function load(ctx: VisitorContext) {
  const { plan = '' } = ctx.params
  const text: unknown[] = []
  for (const step of plan) {
    const value = await STEPS[step]?.(ctx)
    text.push(await (Object(value).late ?? value))
  }
  return { text, late: plan.includes('d') ? Promise.resolve(ctx.request.user) : null }
}

const pageOf = (staleS: number) => ({
  Component: ({ data }: { data: { text: unknown } }) => <p>{JSON.stringify(data.text)}</p>,
  cache: { maxAgeS: staleS > 0 ? 0 : 60, staleS },
  load,
})
const guard = ({ request }: VisitorContext) => ({ member: request.headers['x-user'] })
const KINDS = { fresh: pageOf(0), stale: pageOf(60), guarded: { ...pageOf(60), guard } }
const site = Object.fromEntries(Object.entries(KINDS).map(([name, page]) => [`/${name}/[plan]`, page]))

const LETTERS = `cuihrqaskpwdfn${'pwn'.repeat(4)}`
let state = 7
/** Returns a whole number below \`end\`. The same numbers come in each run. */
function below(end: number): number {
  state = (state * 48_271) % 2_147_483_647
  return state % end
}
const createPlan = () => Array.from({ length: 1 + below(3) }, () => LETTERS[below(LETTERS.length)]).join('')

/** The forms of a page: the address and the headers of a request, and the part of the response that is compared. */
const FORMS: Record<
  string,
  { mark(url: string): string; headers: Record<string, string>; read(body: string): string }
> = {
  JSON: { mark: (url) => url, headers: { accept: 'application/json' }, read: (body) => body },
  Markdown: { mark: (url) => url, headers: { accept: 'text/markdown' }, read: (body) => body },
  navigation: { mark: marked, headers: { ...HTML, ...navigationHeaders() }, read: (body) => body },
  // The script after the data differs: a stored document has no nonce, so its script adds an element.
  document: {
    mark: (url) => url,
    headers: HTML,
    read: (body) => body.replaceAll(/ nonce="[^"]*"/g, '').replace(/(__hydrant=.*?<\/script>).*/s, '$1'),
  },
}

t.test('no response contains the secret of another visitor, or differs from one without a cache', async (t) => {
  const cached = await testSite(t, site, { server: visitorsPlugin, ledger: false })
  const plain = await testSite(t, site, { server: visitorsPlugin, ledger: false, pageCache: { maxBytes: 0 } })
  const differing: string[] = []
  let compared = 0
  for (let run = 0; run < 16; run++) {
    const plans = [createPlan(), createPlan(), createPlan()]
    const asked = Array.from({ length: 4 + below(12) }, () => ({
      url: `/${Object.keys(KINDS)[below(3)]}/${plans[below(3)]}`,
      secret: `secret${below(6)}x`,
    }))
    const removed = asked[below(asked.length * 2)]
    await Promise.all([
      removed && cached.app.pageCache.invalidate({ path: removed.url }),
      ...asked.flatMap(({ url, secret }) =>
        Object.entries(FORMS).map(async ([form, { mark, headers, read }]) => {
          const own = { ...headers, 'x-user': secret, cookie: `s=${secret}` }
          const [response, expected] = await Promise.all([cached.get(mark(url), own), plain.get(mark(url), own)])
          const plan = url.slice(url.lastIndexOf('/') + 1)
          // Without a cache, a navigation may begin before its loads end: then it cannot have their status or cookies.
          const hasBegun = form === 'navigation' && /[fk]/.test(plan)
          compared++
          if (!hasBegun && response.statusCode !== expected.statusCode)
            differing.push(`${url} ${form}: ${response.statusCode} instead of ${expected.statusCode}`)
          // Loads of a cached page run outside of the request's stores.
          if (response.statusCode === 200 && !hasBegun && !plan.includes('a')) {
            const [own, others] = [read(response.body), read(expected.body)]
            if (own !== others) differing.push(`${url} ${form}: ${own} instead of ${others}`)
          }
          for (const [found] of (response.body + JSON.stringify(response.headers)).matchAll(/secret\dx/g))
            if (found !== secret) differing.push(`${url} ${form}: ${found} for ${secret}`)
        }),
      ),
    ])
  }
  t.strictSame(differing, [])
  t.ok(compared > 400, `${compared} responses`)
})
