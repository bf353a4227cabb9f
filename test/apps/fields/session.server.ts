import type { FastifyRequest } from 'fastify'

/** Returns the name of who has signed in, or an empty string. */
export function nameOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  return /\bname=(\w*)/.exec(headers.cookie ?? '')?.[1] ?? ''
}
