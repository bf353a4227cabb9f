// Runs the `onError` hooks of the app and of `server.ts` for failures that Hydrant itself responds to. The only public
// way to run them is `reply.send(error)`: Fastify runs the hooks, then the error handler of the route, which calls
// `finishErrorHooks`.

import { types } from 'node:util'
import type { FastifyReply } from 'fastify'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { startDeadline } from '../util/deadline.ts'

/** A run of the `onError` hooks, for the first failure of a request. */
export interface HookRun {
  /**
   * Returns null when the hooks have run, else a promise of their end. It rejects with HYD_HOOK_TIMEOUT after `maxMs`;
   * Fastify sends nothing then.
   */
  wait(maxMs: number): Promise<void> | null
}

interface StartedRun extends HookRun {
  error: Error
  /** True until `reply.send` has returned. */
  isStarting: boolean
  isOver: boolean
  /** Fastify removes these headers before it calls an error handler. The response may have begun already. */
  headers: [name: string, value: string | number | string[] | undefined][]
  onOver(): void
}

const HOOK_RUN = Symbol('hookRun')

/** A render in the background has a reply of its own. */
interface HookedReply extends FastifyReply {
  [HOOK_RUN]?: StartedRun | 'by Fastify'
}

const REMOVED_HEADERS = ['content-type', 'content-length']

/**
 * Starts the hooks, once for each reply. Returns null when they have run for it already, or when the
 * response is complete.
 */
export function runErrorHooks(error: Error, reply: HookedReply): HookRun | null {
  if (reply[HOOK_RUN] !== undefined || reply.sent) return null
  let waiting: Promise<void> | null = null
  const run: StartedRun = {
    error,
    isStarting: true,
    isOver: false,
    headers: REMOVED_HEADERS.map((name) => [name, reply.getHeader(name)]),
    onOver() {},
    wait(maxMs) {
      if (run.isOver) return null
      waiting ??= new Promise((resolve, reject) => {
        const clear = startDeadline(maxMs, () => reject(createHydrantError('HYD_HOOK_TIMEOUT', [maxMs])))
        run.onOver = () => {
          clear()
          resolve()
        }
      })
      return waiting
    },
  }
  reply[HOOK_RUN] = run
  reply.send(error)
  run.isStarting = false
  return run
}

/**
 * Ends the run of the hooks, for an error handler. Returns true for the error that `runErrorHooks` has sent: the
 * response continues where it was, and the handler has nothing to do.
 */
export function finishErrorHooks(error: unknown, reply: HookedReply): boolean {
  const run = reply[HOOK_RUN]
  if (run === undefined || run === 'by Fastify') {
    reply[HOOK_RUN] = 'by Fastify'
    return false
  }
  if (run.error !== error) return false
  // A hook that calls `done` twice makes Fastify call the handler twice.
  if (run.isOver) return run.isStarting || reply.raw.headersSent
  run.isOver = true
  for (const [name, value] of run.headers) if (value !== undefined) reply.header(name, value)
  run.onOver()
  return true
}

/**
 * Returns true when the hooks were started with this error. Then a response to it is under way, or could not be sent.
 */
export function hasRunErrorHooks(error: unknown, reply: HookedReply): boolean {
  const run = reply[HOOK_RUN]
  return typeof run === 'object' && run.error === error
}

/** Returns the thrown error itself, or an error for the hooks that has the thrown value as its cause. */
export function asError(thrown: unknown): Error {
  if (!types.isProxy(thrown) && thrown instanceof Error) return thrown
  return new Error('The thrown value is not an Error.', { cause: thrown })
}
