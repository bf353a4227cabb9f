import { setTimeout as wait } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import type { Failures } from '../failures/failures.ts'
import type { Options } from '../options/options.ts'
import type { ConnectionDrain } from './drain-connections.ts'
import type { Health } from './health.ts'

/** How long what is not yet kept of failures has, once the requests have had theirs. */
export const KEEP_MS = 3_000

/** What a terminal and a supervisor send to all processes of a group. */
const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const

export interface ShutdownTarget {
  app: FastifyInstance
  draining: ConnectionDrain
  failures: Pick<Failures, 'failProcess'>
  health: Health
  /** Closes the store of failures. */
  store: { close(): Promise<void> }
  /** Resolves when every `onFailure` call has returned. */
  settleFailures(): Promise<void>
  /** Closes the instance, and what belongs to it. */
  close(): Promise<void>
}

/** How a server stops. */
export interface StopRequest {
  /** How long it goes on taking requests, while it says that others should be asked. */
  delayMs: number
  /** Do others go on serving at the same address? */
  othersServe: boolean
}

export interface ShutdownOptions {
  /** Does somebody else hear the signals, and pass on what they mean? (false) */
  ignoresSignals?: boolean
  /** Is told when an exception begins to end the process (nobody). */
  onFail?(): void
  /** Do others go on serving when that happens? (false) */
  othersServe?: boolean
}

export interface ShutdownHandle {
  /** Does what a signal would have it do. */
  stop(how: StopRequest): void
  /** Ends it as an exception does that nothing has caught. */
  fail(thrown: unknown): void
  detach(): void
}

/**
 * Finishes the requests in flight and ends the process: with 0 when a signal says so, with 1 when nothing has caught an
 * exception or the requests are not done within `drainMs`. Whatever is thrown meanwhile is a failure of its own.
 */
export function handleShutdown(
  { app, draining, failures, health, store, settleFailures, close }: ShutdownTarget,
  { drainMs, stopDelayMs }: Options['timeouts'],
  { ignoresSignals = false, onFail, othersServe: hasStandIn = false }: ShutdownOptions = {},
): ShutdownHandle {
  let isEnding = false
  let exitCode = 0
  let told: StopRequest = { delayMs: 0, othersServe: hasStandIn }

  async function finish({ delayMs, othersServe: hasStandIn }: StopRequest) {
    isEnding = true
    health.othersServe = hasStandIn
    health.isStopping = true
    draining.begin()
    if (delayMs > 0) await wait(delayMs)
    const isDone = await Promise.race([closeAll().then(() => true), wait(drainMs, false)])
    if (!isDone) {
      exitCode = 1
      app.log.error(`requests in flight were not finished within ${drainMs} ms`)
      await Promise.all([settleFailures(), store.close()])
    }
    if (exitCode !== 0) process.exit(exitCode)
  }

  async function closeAll() {
    // The admin listener, which is closed first, must not delay it.
    await draining.stopListening()
    await close()
  }

  const ending = closeWithGrace(
    {
      delay: stopDelayMs + drainMs + KEEP_MS,
      logger: app.log,
      // It would end with 0 when `undefined` is thrown, and leave out a second exception's digest.
      skip: ['uncaughtException', 'unhandledRejection', ...(ignoresSignals ? SIGNALS : [])],
    },
    async ({ signal }) => {
      if (signal === undefined) return finish(told)
      app.log.info({ signal }, 'stopping: waiting for the requests in flight')
      await finish({ delayMs: stopDelayMs, othersServe: false })
      app.log.info('stopped: all requests are finished')
    },
  )

  function fail(thrown: unknown) {
    exitCode = 1
    failures.failProcess(thrown, app.log)
    if (isEnding) return
    ending.close()
    onFail?.()
  }
  // One that is not listened to ends the process.
  if (ignoresSignals) for (const signal of SIGNALS) process.on(signal, () => {})
  process.on('uncaughtException', fail).on('unhandledRejection', fail)
  return {
    stop(how) {
      if (isEnding) return
      told = how
      ending.close()
    },
    fail,
    detach() {
      process.off('uncaughtException', fail).off('unhandledRejection', fail)
      ending.uninstall()
    },
  }
}
