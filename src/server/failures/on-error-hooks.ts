// Runs the `onError` hooks of the app and of `server.ts` for failures that Hydrant answers itself. The only public way to
// run them is `reply.send(error)`: Fastify runs the hooks, then calls the route's error handler, which asks `takeTold`.

import { types } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createHydrantError } from '../errors/error-table.ts'
import { startDeadline } from '../util/deadline.ts'

/** The hooks that look at a request's first failure. */
export interface HookRun {
  /** Null when they have run. Rejects with HYD_HOOK_TIMEOUT when they do not end in time: Fastify sends nothing then. */
  wait(maxMs: number): Promise<void> | null
}

interface Told extends HookRun {
  error: Error
  /** Has `reply.send` not returned yet? */
  isStarting: boolean
  isOver: boolean
  /** Fastify removes these headers before it calls an error handler. The answer may have begun already. */
  headers: [name: string, value: string | number | string[] | undefined][]
  onOver(): void
}

const TOLD = Symbol('told')

interface Holder extends FastifyRequest {
  [TOLD]?: Told | 'by Fastify'
}

const REMOVED_HEADERS = ['content-type', 'content-length']

/**
 * Starts the hooks, once for each request. Returns null when they have run for this request already, or when the answer is
 * complete.
 */
export function runErrorHooks(error: Error, request: Holder, reply: FastifyReply): HookRun | null {
  if (request[TOLD] !== undefined || reply.sent) return null
  let waiting: Promise<void> | null = null
  const told: Told = {
    error,
    isStarting: true,
    isOver: false,
    headers: REMOVED_HEADERS.map((name) => [name, reply.getHeader(name)]),
    onOver() {},
    wait(maxMs) {
      if (told.isOver) return null
      waiting ??= new Promise((resolve, reject) => {
        const clear = startDeadline(maxMs, () => reject(createHydrantError('HYD_HOOK_TIMEOUT', [maxMs])))
        told.onOver = () => {
          clear()
          resolve()
        }
      })
      return waiting
    },
  }
  request[TOLD] = told
  reply.send(error)
  told.isStarting = false
  return told
}

/**
 * For error handlers: is it an error that `tellHooks` has sent? Then its answer goes on where it was being made, and the
 * handler has nothing to do.
 */
export function takeTold(error: unknown, request: Holder, reply: FastifyReply): boolean {
  const told = request[TOLD]
  if (told === undefined || told === 'by Fastify') {
    request[TOLD] = 'by Fastify'
    return false
  }
  if (told.error !== error) return false
  // Hooks that have called `done` twice come here twice.
  if (told.isOver) return told.isStarting || reply.raw.headersSent
  told.isOver = true
  for (const [name, value] of told.headers) if (value !== undefined) reply.header(name, value)
  told.onOver()
  return true
}

/** Has that error been told before? Then an answer is being made, or could not be sent. */
export function wasTold(error: unknown, request: Holder): boolean {
  const told = request[TOLD]
  return typeof told === 'object' && told.error === error
}

/** What hooks get: the thrown error itself, or an error with what was thrown as its cause. */
export function asError(thrown: unknown): Error {
  if (!types.isProxy(thrown) && thrown instanceof Error) return thrown
  return new Error('The thrown value is not an Error.', { cause: thrown })
}
