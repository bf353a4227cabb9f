import type { AdminConsole } from 'hydrant'

declare module 'fastify' {
  interface FastifyInstance {
    /** Set by the admin listener, which mounts this site. */
    console: AdminConsole
  }
}
