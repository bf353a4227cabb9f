// An app with the plugin, for a separate process: node hanging-app.js <folder of a site> <hangMs> [survive]

import Fastify from 'fastify'
import { hydrant } from '../../../src/server/index.ts'

const [dir = '', hangMs = '0', mode] = process.argv.slice(2)
const app = Fastify({ logger: true })
if (mode === 'survive') process.on('uncaughtException', ({ message }) => console.log(`caught: ${message}`))
app.get('/own/loop', async () => {
  for (;;);
})
const timeouts = Number(hangMs) > 0 ? { hangMs: Number(hangMs) } : {}
await app.register(hydrant, { dir: `${dir}/first`, base: '/first', timeouts, release: 'first' })
await app.register(hydrant, { dir: `${dir}/second`, base: '/second', timeouts, release: 'second' })
await app.listen({ port: 0 })
