import type { FastifyInstance } from 'fastify'

interface Done {
  path: string
  entries?: [string, unknown][]
}

declare module 'fastify' {
  interface FastifyInstance {
    done(entry: Done): void
    /** The number of actions that are done. */
    count(): number
    session: { isOpen: boolean }
  }
}

export default async function server(app: FastifyInstance) {
  const done: Done[] = []
  app.decorate('done', (entry: Done) => void done.push(entry))
  app.decorate('count', () => done.length)
  app.decorate('session', { isOpen: false })
  app.get('/done', async () => done)
}
