import http from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import Fastify, { type FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { endAfterBody } from '../../../src/server/http/node-response.ts'
import { addDraining } from '../../../src/server/lifecycle/drain-connections.ts'
import { testSite } from '../../test-site.ts'
import { until } from '../../until.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Notes the objects of the requests to an app. */
function watch(app: FastifyInstance): WeakRef<object>[] {
  const seen: WeakRef<object>[] = []
  app.addHook('onRequest', async (request, { raw }) => {
    for (const part of [request, request.raw, raw]) seen.push(new WeakRef(part))
  })
  return seen
}

/** Sends a request whose connection stays open. */
async function send(t: Test, app: FastifyInstance, method: 'GET' | 'POST') {
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const agent = new http.Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const headers = { accept: 'text/html', 'content-type': 'text/plain' }
  await new Promise<void>((done, fail) => {
    const options = { port, host: '127.0.0.1', path: '/a', method, headers, agent }
    const request = http.request(options, (response) => response.resume().on('end', done))
    request.on('error', fail).end(method === 'POST' ? 'hello' : undefined)
  })
  return () => Object.values(agent.freeSockets).flat().length
}

/** Passes when nothing refers to the objects any more. Without a pass, the time of the test ends it. */
async function untilForgotten(seen: readonly WeakRef<object>[]) {
  await until(() => {
    collectGarbage()
    return seen.every((part) => part.deref() === undefined)
  })
}

t.test('an idle connection keeps nothing of the page that it has sent', async (t) => {
  let seen: WeakRef<object>[] = []
  const { app } = await testSite(
    t,
    { '/a': {} },
    {
      server: (app: FastifyInstance) => {
        addDraining(app)
        seen = watch(app)
      },
    },
  )
  const openCount = await send(t, app, 'GET')
  t.equal(seen.length, 3)
  await untilForgotten(seen)
  t.equal(openCount(), 1, 'the connection is open')
})

t.test('an idle connection keeps nothing of the form that it has received', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  addDraining(app)
  const seen = watch(app)
  app.addHook('onRequest', async ({ raw }) => endAfterBody(raw))
  app.post('/a', async ({ body }) => body)
  const openCount = await send(t, app, 'POST')
  t.equal(seen.length, 3)
  await untilForgotten(seen)
  t.equal(openCount(), 1, 'the connection is open')
})
