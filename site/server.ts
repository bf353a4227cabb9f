import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { HttpError } from 'hydrant'
import type { Repository } from './content/edit-href.ts'
import { createNoteStore, type NoteStore } from './notes/store.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The package.json of the package that serves this site. */
    hydrant: { version: string; repository?: Repository }
    notes: NoteStore
  }
}

export default async function server(app: FastifyInstance) {
  app.decorate('hydrant', createRequire(import.meta.url)('hydrant/package.json'))

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
