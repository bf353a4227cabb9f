import type { FastifyInstance } from 'fastify'
import { api } from '../src/api.ts'

/** `hydrant dev` serves the site without src/main.ts. So the site itself adds the app’s routes there. */
export default async function server(app: FastifyInstance) {
  if (!app.hasPlugin('api')) await app.register(api)
}
