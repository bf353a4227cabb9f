// A Fastify app with two sites, for a process of its own: node hanging-app.js <folder of the sites> <hangMs> [mode]
// With the mode "survive" the process catches exceptions. With "apart" each site has an app of its own.

import Fastify from 'fastify'
import { hydrant } from 'hydrant'

const [dir = '', hangMs = '0', mode] = process.argv.slice(2)
const app = Fastify({ logger: true })
const other = mode === 'apart' ? Fastify({ logger: true }) : app
if (mode === 'survive') process.on('uncaughtException', ({ message }) => console.log(`caught: ${message}`))
app.get('/own/loop', async () => {
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
})
const timeouts = Number(hangMs) > 0 ? { hangMs: Number(hangMs) } : {}
await other.register(hydrant, { dir: `${dir}/first`, base: '/first', timeouts, release: 'first' })
await app.register(hydrant, { dir: `${dir}/second`, base: '/second', timeouts, release: 'second' })
if (other !== app) await other.ready()
await app.listen({ port: 0 })
