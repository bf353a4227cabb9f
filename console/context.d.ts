import type { AdminConsole } from 'hydrant'

declare module 'fastify' {
  interface FastifyInstance {
    /** Given by the admin listener, which mounts this site. */
    console: AdminConsole
  }
}
