import fastifyPlugin from 'fastify-plugin'
import { Tasks } from './tasks.ts'

declare module 'fastify' {
  interface FastifyInstance {
    tasks: Tasks
  }
}

/** The app’s own decorators and routes. `fastifyPlugin` makes `app.tasks` available to the site, too. */
export const api = fastifyPlugin(
  async (app) => {
    app.decorate('tasks', new Tasks())

    app.get('/api/tasks', async () => app.tasks.list())

    app.post<{ Body: { text: string } }>(
      '/api/tasks',
      { schema: { body: TASK } },
      async (request, reply) => {
        reply.code(201)
        return app.tasks.add(request.body.text)
      },
    )
  },
  { name: 'api' },
)

const TASK = {
  type: 'object',
  required: ['text'],
  properties: { text: { type: 'string', minLength: 1 } },
}
