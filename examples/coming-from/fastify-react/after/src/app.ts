import { join } from 'node:path'
import Fastify, { type FastifyServerOptions } from 'fastify'
import hydrant from 'hydrant'
import { api } from './api.ts'

/** Creates the app: its own routes, and the pages of the built site. */
export async function createApp(options: FastifyServerOptions) {
  const app = Fastify(options)
  await app.register(api)
  await app.register(hydrant, { dir: join(import.meta.dirname, '../site') })
  return app
}
