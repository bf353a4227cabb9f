import { Readable } from 'node:stream'
import Fastify from 'fastify'
import t from 'tap'
import { pageRoute } from '../../../src/server/http/route-config.ts'
import { measureRequests } from '../../../src/server/metrics/metrics-recorder.ts'
import { createRequestMetrics } from '../../../src/server/metrics/request-metrics.ts'

t.test('responses that last for as long as the client wants are counted, and not timed', async (t) => {
  const app = Fastify()
  t.teardown(() => app.close())
  const { recorder, read } = createRequestMetrics()
  measureRequests(app, () => recorder)
  app.get('/text', async () => 'text')
  app.get('/events', (_request, reply) => reply.type('text/event-stream').send(Readable.from(['data:\n\n'])))
  app.get('/hijacked', (_request, reply) => {
    reply.hijack().raw.writeHead(200, { 'content-type': 'text/event-stream' }).end()
  })
  app.get('/page', { config: pageRoute('/page') }, (_request, reply) => void reply.hijack().raw.end('streamed'))
  const routes = ['/events', '/hijacked', '/page', '/text']
  for (const url of routes) t.equal((await app.inject(url)).statusCode, 200)
  const { routes: counted, times } = read()
  t.strictSame(counted.map(({ route }) => route).sort(), routes)
  t.strictSame(times.steps.map(({ route }) => route).sort(), ['/page', '/text'])
})
