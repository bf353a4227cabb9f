import type { FastifyInstance } from 'fastify'
import { api } from '../src/api.ts'
import { session } from '../src/session.ts'

/** `hydrant dev` serves the site without src/app.ts. So the site itself adds the app’s plugins there. */
export default async function server(app: FastifyInstance) {
  if (app.hasPlugin('api')) return
  await app.register(api)
  await app.register(session)
}
