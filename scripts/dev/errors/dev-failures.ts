import type { FastifyBaseLogger } from 'fastify'
import type { FailureRecord, SourceFrame } from '../../../src/server/errors/failure-record.ts'
import { processFrames } from '../../../src/server/failures/stacks/place-frames.ts'
import { mapStacks, type ServerMapper } from '../../../src/server/failures/stacks/source-map.ts'
import { createFailureStore, type FailureStore } from '../../../src/server/ledger/failure-store.ts'
import type { LedgerOptions } from '../../../src/server/ledger/open-ledger.ts'
import type { BuildProblem } from '../../build-problem.ts'
import { isKnownError } from '../../terminal/format-error.ts'

/** A failure of `hydrant dev` to build, start or stop a site. */
export interface DevFailure {
  title: string
  error: unknown
  /** The place in the source, with its code; null when it is unknown, and for a build, whose errors have places. */
  source: SourceFrame | null
}

/** A problem, and what it keeps from being served. */
export interface BrokenPart {
  problem: BuildProblem
  /** The ids of the routes that reach the problem, with an empty id for requests that match no page; null for all requests. */
  routes: readonly string[] | null
  /** The names of the modules of these routes' pages in browsers. */
  pages: readonly string[]
}

export const DOES_NOT_BUILD = 'The site does not build'

/** Describes why a site did not start. Rewrites the error's stack to positions in the source. */
export function describeStart(error: unknown, mapper: ServerMapper, plugin: string | null): DevFailure {
  const source = findSource(error, mapper, plugin)
  const isPlugins = plugin !== null && (isKnownError(error) ? source?.file === plugin : true)
  return { title: isPlugins ? `${plugin} failed while it started` : 'The site does not start', error, source }
}

/** Returns the place that threw an error outside of requests, or null. Rewrites its stack to the source. */
export function findSource(error: unknown, mapper: ServerMapper, plugin: string | null): SourceFrame | null {
  const isStackless = isKnownError(error) && error.code === 'HYD_SERVER_THREW'
  const thrown = isStackless ? (error as Error).cause : error
  const source = mapStacks(thrown, mapper)
  if (source || thrown instanceof Error) return source
  const [innermost] = processFrames(mapper, { plugin, pageOf: () => undefined })
  if (!innermost?.frame) return null
  const code = mapper.codeAround(innermost.frame)
  return code ? { ...innermost.frame, code } : innermost.frame
}

/** Creates the stores of the site in `dir`. Calls `onFailure` with each failure, after its line is logged. */
export function createDevFailureStores(dir: string, onFailure: (failure: FailureRecord) => void) {
  const stores = new Map<string, FailureStore>()
  return {
    /** Returns the store for these options, and creates it when they are new. */
    find({ ledger, ledgerLimits }: LedgerOptions, log: FastifyBaseLogger) {
      const key = JSON.stringify({ ledger, ledgerLimits })
      const present = stores.get(key)
      if (present) return present
      const store = createFailureStore(dir, { ledger, ledgerLimits }, log)
      store.subscribe(onFailure)
      stores.set(key, store)
      return store
    },
    // Stores of earlier options stay open until then: a replaced server may still respond, and fail.
    async close() {
      await Promise.all([...stores.values()].map((store) => store.close()))
    },
  }
}
