// The response to an action that a page in the browser has called.

import type { FastifyInstance } from 'fastify'
import type { ReactNode } from 'react'
import t from 'tap'
import type { ActionContext, LoadContext } from '../../../src/server/index.ts'
import { REFRESH_HEADER, RESULT_HEADER } from '../../../src/shared/wire/navigation-protocol.ts'
import { navigationHeaders, testSite } from '../../test-site.ts'
import { askSocket, linesOfResponse, marked, pick } from '../lines.ts'
import { HTML } from '../served.ts'

const loaded: string[] = []
let open = () => {}

function action({ form, reply }: ActionContext) {
  const text = form.get('text')
  if (text === 'refused') throw Object.assign(new Error('Refused'), { statusCode: 409 })
  if (text === 'fails') throw new Error('SECRET-MARKER')
  if (text === 'nothing') return
  if (text === 'wrong') reply.code(422)
  return { text }
}

const site = {
  '/layout': {
    Component: ({ children }: { children: ReactNode }) => (
      <html lang="en">
        <body>{children}</body>
      </html>
    ),
    load: () => void loaded.push('layout'),
  },
  '/slow': {
    action,
    async load({ reply, url }: LoadContext) {
      await new Promise<void>((resolve) => {
        open = resolve
      })
      if (url.search === '?cookie') reply.header('set-cookie', 'a=b')
      return 'loaded'
    },
  },
  '/whole': { action, stream: false, load: () => 'loaded' },
  '/quiet': { action, revalidate: false, load: () => void loaded.push('page') },
}

async function server(app: FastifyInstance) {
  app.get('/open', async () => {
    open()
    return 'opened'
  })
}

const { app } = await testSite(t, site, { server, logger: false, ledger: false })
const origin = await app.listen({ port: 0 })
const headers = { ...HTML, ...navigationHeaders(), 'content-type': 'application/x-www-form-urlencoded' }

async function post(path: string, text: string, more: Record<string, string> = {}) {
  return app.inject({ method: 'POST', url: marked(path), payload: `text=${text}`, headers: { ...headers, ...more } })
}

/** Returns what has been loaded since the last call. */
const loads = () => loaded.splice(0)

t.test('the result of the action is sent before the loads have ended, with its status', async (t) => {
  const body = 'text=wrong'
  const response = await fetch(origin + marked('/slow'), { method: 'POST', body, headers })
  t.equal(response.status, 422)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes('\n')) text += (await reader?.read())?.value ?? ''
  t.equal(text.split('\n')[0], '["acted",{"plain":{"actionData":{"text":"wrong"}}}]', 'as the first line')
  t.notMatch(text, 'loaded')
  await fetch(`${origin}/open`)
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done) break
    text += value
  }
  t.match(text, '["data",1,{"plain":"loaded"}]')
})

t.test('if a load sets a cookie after that, the browser fetches the page again', async (t) => {
  const response = fetch(origin + marked('/slow?cookie'), { method: 'POST', body: 'text=a', headers })
  const { headers: sent, body } = await response
  t.notOk(sent.has('set-cookie'))
  t.equal(sent.get('hydrant-acted'), '1')
  await fetch(`${origin}/open`)
  const lines = (await new Response(body).text()).trim().split('\n')
  t.match(lines[0], '["acted"')
  t.equal(lines.at(-1), '["load"]')
})

t.test('a refresh begins when its loads have ended, so that their cookies are in time', async (t) => {
  const asked = askSocket(origin + marked('/slow?cookie'), { ...headers, [REFRESH_HEADER]: '1' })
  await fetch(`${origin}/open`)
  const { response, rest } = await asked
  t.equal(response.headers.get('set-cookie'), 'a=b')
  t.match(await rest(), [['start'], ['data'], ['data', 1, { plain: 'loaded' }]])
})

t.test('a page that is sent complete responds once', async (t) => {
  const lines = linesOfResponse(await post('/whole', 'a'))
  t.match(lines, [['acted', { plain: { actionData: { text: 'a' } } }], ['start'], ['data'], ['data']])
  t.strictSame(linesOfResponse(await post('/whole', 'nothing'))[0], ['acted', {}])
})

t.test('for another page only the result is sent, and no load runs', async (t) => {
  loads()
  const only = { [RESULT_HEADER]: 'only' }
  t.strictSame(linesOfResponse(await post('/slow', 'a', only)), [['acted', { plain: { actionData: { text: 'a' } } }]])
  const refused = await post('/slow', 'refused', only)
  t.equal(refused.statusCode, 409)
  const [line, ...more] = pick(linesOfResponse(refused), 'shown')
  t.strictSame([line?.[3], more], [{ kind: 'refusal', status: 409, message: 'Refused' }, []])
  const failed = await post('/slow', 'fails', only)
  t.equal(failed.statusCode, 500)
  t.notMatch(failed.body, 'SECRET')
  t.match(pick(linesOfResponse(failed), 'shown')[0]?.[3], { kind: 'failure', digest: failed.headers['x-error-digest'] })
  t.strictSame(loads(), [])
})

t.test('with revalidate = false the page that is on the screen is not loaded again', async (t) => {
  loads()
  const acted = ['acted', { plain: { actionData: { text: 'a' }, revalidate: false } }]
  t.strictSame(linesOfResponse(await post('/quiet', 'a', { [RESULT_HEADER]: 'here' })), [acted])
  t.strictSame(loads(), [])
  t.match(linesOfResponse(await post('/quiet', 'a')), [acted, ['start'], ['data'], ['data']])
  t.strictSame(loads(), ['layout', 'page'], 'another page is')
  const document = await app.inject({ method: 'POST', url: '/quiet', payload: 'text=a', headers: HTML })
  t.notMatch(document.body, 'revalidate')
})
