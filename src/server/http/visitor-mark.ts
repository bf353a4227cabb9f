import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Options } from '../options/options.ts'
import { createDeadline, DEADLINE } from '../util/deadline.ts'

/** Returns the mark of a request's visitor: empty for nobody, and if the site cannot say. Never rejects. */
export type MarkVisitor = (request: FastifyRequest) => Promise<string>

/** Two visitors of one tab have the same mark by chance once in 2^72. */
const LENGTH = 12

/**
 * Creates the function that calls the option `identifyVisitor`; null without it.
 *
 * @param takeError Takes what the option throws.
 */
export function createMarkVisitor(
  { identifyVisitor, timeouts }: Pick<Options, 'identifyVisitor' | 'timeouts'>,
  takeError: (thrown: unknown, request: FastifyRequest) => void,
): MarkVisitor | null {
  if (identifyVisitor === null) return null

  async function identify(request: FastifyRequest): Promise<string> {
    const deadline = createDeadline(timeouts.loadMs)
    const id = await Promise.race([identifyVisitor?.(request), deadline.passed]).finally(deadline.clear)
    if (id === DEADLINE) throw new Error(`It took longer than ${timeouts.loadMs} ms.`)
    if (typeof (id ?? '') !== 'string') throw new TypeError(`It must return a string or nothing; got ${typeof id}.`)
    return id ? createHash('sha256').update(id).digest('base64url').slice(0, LENGTH) : ''
  }

  return (request) =>
    identify(request).catch((error) => {
      takeError(error, request)
      return ''
    })
}
