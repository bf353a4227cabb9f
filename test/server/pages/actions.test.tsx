import type { FastifyInstance } from 'fastify'
import type { ReactNode } from 'react'
import t from 'tap'
import { type ActionContext, HttpError, type LoadContext, notFound, redirect } from '../../../src/server/index.ts'
import type { ErrorPageProps, PageProps } from '../../../src/shared/react.ts'
import { testSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { HTML, JSON_ONLY } from '../served.ts'

const Component = ({ data, actionData }: PageProps) => (
  <p>
    data {JSON.stringify(data)} action {JSON.stringify(actionData)}
  </p>
)
const notes: string[] = []
let failLate = () => {}

const site = {
  '/layout': ({ children }: { children: ReactNode }) => (
    <html lang="en">
      <body>
        <header>site</header>
        {children}
      </body>
    </html>
  ),
  '/error': ({ status, message, digest }: ErrorPageProps) => (
    <p>
      {status}|{message}|{digest}
    </p>
  ),
  '/forever/layout': {
    Component: ({ data, children }: { data: string; children: ReactNode }) => (
      <>
        <h2>{data}</h2>
        {children}
      </>
    ),
    load({ signal }: LoadContext) {
      signal.throwIfAborted()
      return 'layout of it'
    },
  },
  '/bare': Component,
  '/notes': {
    Component,
    load({ reply }: LoadContext) {
      reply.header('cache-control', 'public, max-age=60')
      return { notes: [...notes] }
    },
    action({ request, reply, form }: ActionContext) {
      const text = form.get('text')
      if (!text) {
        reply.code(422)
        return { problem: 'Write something.', method: request.method }
      }
      notes.push(String(text))
      if (form.has('stay')) return { saved: text, at: new Date(0) }
      redirect('/notes')
    },
  },
  '/silent': { Component, action() {} },
  '/made': { Component, action: ({ reply }: ActionContext) => void reply.code(201) },
  '/json': {
    Component,
    action: ({ request, form }: ActionContext) => ({ body: request.body, fields: [...form] }),
  },
  '/kinds': {
    Component,
    action: ({ params, url, app, signal }: ActionContext) => [params, url.href, typeof app.get, signal.aborted],
  },
  '/fails': {
    load: () => 'loaded',
    action() {
      throw new Error('secret text')
    },
  },
  '/repeats': {
    action({ form }: ActionContext) {
      throw new Error(`no user with ${form.get('password')}`)
    },
  },
  '/moved': { Component, action: () => redirect('/notes', 307) },
  '/gone': { Component, action: () => notFound() },
  '/refuses': {
    Component,
    action() {
      throw new HttpError(409, 'Taken')
    },
  },
  '/forever/index': {
    Component,
    action: ({ signal }: ActionContext) =>
      new Promise((_, reject) => {
        signal.onabort = () => reject(signal.reason)
      }),
  },
  // Neither fails within the deadline.
  '/late-failure': {
    async action() {
      await new Promise<void>((resolve) => {
        failLate = resolve
      })
      throw new Error('paid halfway')
    },
  },
  '/late-abort': {
    action: ({ signal }: ActionContext) =>
      new Promise((_, reject) => {
        signal.onabort = () => reject(new Error('stopped', { cause: signal.reason }))
      }),
  },
  '/promises': { Component, action: () => ({ list: [{ late: Promise.reject(new Error('late')) }] }) },
  '/function': { Component, action: () => ({ save() {} }) },
  '/load-moves': { Component, load: () => redirect('/notes'), action: () => 1 },
  '/load-fails': {
    load() {
      throw new Error('no')
    },
    action: () => 1,
  },
  '/own': { action: ({ reply }: ActionContext) => reply.type('text/csv').send('a,b') },
  '/taken': { Component, action: () => 1 },
  '/things/[id]': { Component, action: ({ params }: ActionContext) => params },
}

async function server(app: FastifyInstance) {
  app.put('/taken', async () => 'of the server')
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const { app, get, failuresOf, log } = await testSite(t, site, { server, timeouts: { loadMs: 300 } })

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE'
function send(
  url: string,
  payload: string | object = '',
  headers: Record<string, string> = {},
  method: Method = 'POST',
) {
  const type = typeof payload === 'string' ? FORM : {}
  return app.inject({ method, url, payload, headers: { ...HTML, ...type, ...headers } })
}
const textOf = (body: string) =>
  body
    .replace(/<script.*?<\/script>/gs, '')
    .replaceAll('<!-- -->', '')
    .replaceAll('&quot;', '"')

t.test('a page shows the result of its action and the data of loads that run after it', async (t) => {
  const response = await send('/notes', 'text=first&stay=1')
  t.equal(response.statusCode, 200)
  t.match(textOf(response.body), 'data {"notes":["first"]} action {"saved":"first","at":"1970-01-01T00:00:00.000Z"}')
  t.equal(response.headers['cache-control'], 'no-store')
  t.notOk(response.headers.etag)
  t.match(response.headers['content-type'], 'text/html')
})

t.test('every method that changes something runs the action, which sets the status', async (t) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    const response = await send('/notes', 'text=', {}, method)
    t.equal(response.statusCode, 422, method)
    t.match(textOf(response.body), `action {"problem":"Write something.","method":"${method}"}`)
  }
  t.match(textOf((await get('/notes')).body), 'action </p>', 'nothing of it stays')
})

t.test('a redirect has status 303 unless it sets another, also from a load after an action', async (t) => {
  for (const accept of ['text/html', 'application/json']) {
    const response = await send('/notes', 'text=second', { accept })
    t.equal(response.statusCode, 303)
    t.equal(response.headers.location, '/notes')
    t.equal(response.headers['cache-control'], 'no-store')
    t.equal(response.body, '')
  }
  t.equal((await send('/moved')).statusCode, 307)
  t.equal((await send('/load-moves')).statusCode, 303)
  t.equal((await get('/load-moves')).statusCode, 302)
})

t.test('the browser gets the result of the action and nothing more for other pages', async (t) => {
  const dataOf = (body: string) => /"data":(\[.*\])\}\]<\/script>/.exec(body)?.[1]
  t.equal(dataOf((await send('/silent')).body), '[]')
  t.equal(dataOf((await get('/silent')).body), '[]')
  t.equal(dataOf((await send('/things/7')).body), '[{},{},[{"actionData":1},{"id":2},"7"]]')
  const [layout, data, extras, more] = JSON.parse(dataOf((await send('/notes', '')).body) ?? '')
  t.strictSame(layout, {})
  t.ok(Array.isArray(data.plain.notes))
  t.strictSame(extras, { plain: { actionData: { problem: 'Write something.', method: 'POST' } } })
  t.equal(more, undefined)
})

t.test('an action has everything that a load has', async (t) => {
  const response = await app.inject({ method: 'POST', url: '/kinds?a=1', headers: JSON_ONLY })
  t.strictSame(response.json(), [{}, 'http://localhost/kinds?a=1', 'function', false])
})

t.test('a request for JSON gets the result of the action', async (t) => {
  const response = await send('/json', { a: [1] }, JSON_ONLY)
  t.equal(response.statusCode, 200)
  t.equal(response.headers['cache-control'], 'no-store')
  t.strictSame(response.json(), { body: { a: [1] }, fields: [] })
  const refused = await send('/notes', '', JSON_ONLY)
  t.equal(refused.statusCode, 422)
  t.match(refused.headers['content-type'], 'application/json')
  t.strictSame(refused.json(), { problem: 'Write something.', method: 'POST' })
})

t.test('a request for JSON gets 204 if the action returns nothing', async (t) => {
  const response = await send('/silent', '', JSON_ONLY)
  t.equal(response.statusCode, 204)
  t.equal(response.body, '')
  t.equal((await send('/made', '', JSON_ONLY)).statusCode, 201)
  t.equal((await send('/silent')).statusCode, 200, 'and the page for a browser')
})

t.test('a failure of an action replaces the page and shows the digest of the log', async (t) => {
  const response = await send('/fails', 'password=hunter2')
  t.equal(response.statusCode, 500)
  t.equal(response.headers['cache-control'], 'no-store')
  const [failure, ...more] = failuresOf(response)
  t.match(failure, { phase: 'action', route: '/fails', method: 'POST', digest: response.headers['x-error-digest'] })
  t.equal(more.length, 0)
  t.match(response.body, '<header>site</header>')
  t.match(textOf(response.body), `Application error: a server-side exception`)
  t.match(textOf(response.body), `|${failure?.digest}`)
  t.notMatch(response.body, 'secret text')
  const problem = await send('/fails', '', JSON_ONLY)
  t.match(problem.json(), { status: 500, digest: problem.headers['x-error-digest'], instance: '/fails' })
})

t.test('the values of a form do not reach the log', async (t) => {
  const response = await send('/repeats', 'password=hunter22&file=pages%2Frepeats')
  t.equal(response.statusCode, 500)
  const [line] = failuresOf(response)
  t.equal(line?.err?.message, 'no user with [hidden]')
  t.notMatch(JSON.stringify(log.lines), 'hunter22')
})

t.test('a failure of a load after an action is a failure of the load', async (t) => {
  const response = await send('/load-fails')
  t.equal(response.statusCode, 500)
  t.match(failuresOf(response), [{ phase: 'load' }])
})

t.test('refusals are shown with their status and message', async (t) => {
  const refused = await send('/refuses')
  t.equal(refused.statusCode, 409)
  t.match(textOf(refused.body), '409|Taken|')
  t.equal((await send('/gone')).statusCode, 404)
  t.match((await send('/refuses', '', JSON_ONLY)).json(), { status: 409, detail: 'Taken' })
  t.equal(failuresOf(refused).length, 0)
})

t.test('an action that does not end is 504', async (t) => {
  const response = await send('/forever')
  t.equal(response.statusCode, 504)
  t.match(response.body, '<h2>layout of it</h2>', 'inside of layouts whose loads may take their time')
  t.match(failuresOf(response), [
    { phase: 'action', err: { message: /pages\/forever\/index\.server\.ts did not finish within 300 ms/ } },
  ])
})

t.test('promises and values that cannot be serialized are failures that name the position', async (t) => {
  for (const headers of [{}, JSON_ONLY]) {
    const response = await send('/promises', '', headers)
    t.equal(response.statusCode, 500)
    t.match(failuresOf(response), [
      { phase: 'action', err: { message: /promises\.server\.ts .*actionData\.list\.0\.late/ } },
    ])
  }
  const response = await send('/function')
  t.equal(response.statusCode, 500)
  t.match(failuresOf(response), [
    { phase: 'action', err: { message: /^action of pages\/function\.server\.ts returned data/ } },
  ])
})

t.test('an action may send the response itself', async (t) => {
  const response = await send('/own')
  t.equal(response.body, 'a,b')
  t.equal(response.headers['content-type'], 'text/csv')
  t.equal(log.errors().filter(({ url }) => url === '/own').length, 0)
})

t.test('a route of server.ts takes precedence over the action, and a page without an action refuses', async (t) => {
  t.equal((await app.inject({ method: 'PUT', url: '/taken' })).body, 'of the server')
  t.match(textOf((await send('/taken')).body), 'action 1')
  const refused = await send('/bare', 'x', { 'content-type': 'application/unknown' })
  t.equal(refused.statusCode, 405)
  t.equal(refused.headers.allow, 'GET, HEAD')
})

t.test('an action that fails after its deadline has failed twice, unless the deadline has stopped it', async (t) => {
  const send = (url: string) => app.inject({ method: 'POST', url, headers: { ...HTML, ...FORM }, payload: 'a=b' })
  const late = await send('/late-failure')
  t.equal(late.statusCode, 504)
  failLate()
  const failures = await until(() => failuresOf(late).length > 1 && failuresOf(late))
  t.match(failures, [
    { phase: 'action', err: { code: 'HYD_ACTION_TIMEOUT' }, digest: late.headers['x-error-digest'] },
    { phase: 'action', err: { message: 'paid halfway' }, digest: String },
  ])
  const stopped = await send('/late-abort')
  t.equal(stopped.statusCode, 504)
  await new Promise(setImmediate)
  t.match(failuresOf(stopped), [{ err: { code: 'HYD_ACTION_TIMEOUT' } }])
  t.equal(failuresOf(stopped).length, 1)
})
