import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { HttpError } from 'hydrant'
import { createNoteStore, type NoteStore } from './notes/store.ts'

export interface SiteFacts {
  /** Version of the hydrant package that serves this site. */
  hydrant: string
  /** Version of Node.js, including the `v`. */
  node: string
  /** Whole seconds since the process started. */
  uptimeSeconds: number
  /** The number of requests since the process started, including this one. */
  requests: number
}

declare module 'fastify' {
  interface FastifyInstance {
    siteFacts(): SiteFacts
    notes: NoteStore
  }
}

const { version }: { version: string } = createRequire(import.meta.url)('hydrant/package.json')

export default async function server(app: FastifyInstance) {
  let requests = 0

  app.addHook('onRequest', async () => {
    requests += 1
  })

  app.decorate('siteFacts', () => ({
    hydrant: version,
    node: process.version,
    uptimeSeconds: Math.floor(process.uptime()),
    requests,
  }))

  const notes = createNoteStore()
  app.decorate('notes', notes)
  app.addHook('onClose', () => notes.close())

  app.get('/failures/f6/fail', async () => {
    throw new Error('SECRET-MARKER f6: the route of server.ts fails')
  })

  app.get('/failures/f6/refuse', async () => {
    throw new HttpError(403, 'Members only')
  })
}
