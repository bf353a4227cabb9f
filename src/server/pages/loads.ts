import type { FastifyInstance } from 'fastify'
import type { Params } from '../../shared/page-types.ts'
import type { LoadFunction } from '../build-output/load-build.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import type { LoadContext } from '../options/config.ts'
import { silencePromises } from '../render/data-promises.ts'
import { classifyThrown } from '../thrown/classify-thrown.ts'
import { startDeadline } from '../util/deadline.ts'

export interface LoadStep {
  load: LoadFunction | null
  /** Path in the site of the file with `load`. */
  serverFile: string
}

export type Loads =
  | { kind: 'loaded'; values: unknown[] }
  /** `values` of the steps before the one that threw. */
  | { kind: 'thrown'; thrown: unknown; values: unknown[]; serverFile: string }

/**
 * Runs the loads of the layouts and the page at the same time. When several throw, the outermost counts: what a layout
 * refuses, a page does not decide. Never rejects.
 *
 * @param onLoaded Told of each value as soon as it is there, unless the answer is decided. A load whose value it throws
 *   at has thrown.
 */
export async function runLoads(
  steps: readonly LoadStep[],
  context: LoadContext,
  visit: RequestContext,
  { options, metrics }: Pick<Site, 'options' | 'metrics'>,
  onLoaded?: (index: number, value: unknown) => void,
): Promise<Loads> {
  visit.watchLeaving()
  if (visit.isGone) return { kind: 'loaded', values: [] }
  const progress: Progress = { pendingCount: steps.length, isDecided: false }
  const running = steps.map((step, index) => startLoad(step, context, progress, (value) => onLoaded?.(index, value)))
  const { loadMs } = options.timeouts
  const deadline = createDeadline(loadMs)
  const startedAt = metrics.now()
  let isDropped = true
  try {
    const values: unknown[] = []
    for (const [index, { promise, step }] of running.entries()) {
      const result = await Promise.race([promise, deadline.passed])
      if (result === DEADLINE) {
        const files = running.filter(({ isSettled }) => !isSettled).map(({ step }) => step.serverFile)
        const pending = files.map((file) => `load of ${file}`).join(', ')
        const error = createHydrantError('HYD_LOAD_TIMEOUT', [loadMs, pending])
        visit.abort(error)
        return { kind: 'thrown', thrown: error, values, serverFile: files[0] ?? step.serverFile }
      }
      if ('thrown' in result) {
        visit.abort(OTHER_HAS_THROWN)
        reportOthers(running.slice(index + 1), result.thrown, step, visit)
        return { kind: 'thrown', thrown: result.thrown, values, serverFile: step.serverFile }
      }
      values.push(result.value)
    }
    isDropped = false
    return { kind: 'loaded', values }
  } finally {
    progress.isDecided = true
    deadline.clear()
    if (steps.some(({ load }) => load !== null)) metrics.loadsEnded(visit.route, metrics.now() - startedAt)
    if (isDropped) {
      for (const { promise } of running)
        void promise.then((result) => 'value' in result && silencePromises(result.value))
    }
  }
}

export function createLoadContext(visit: RequestContext, app: FastifyInstance, params: Params): LoadContext {
  const { request, reply } = visit
  const context = { request, reply, app, params, [VISIT]: visit }
  // Few loads ask for them, and either costs more than all the rest of a context. Together they would take longer to define.
  Object.defineProperty(context, 'url', URL_OF_VISIT)
  Object.defineProperty(context, 'signal', SIGNAL_OF_VISIT)
  // What that has added.
  return context as typeof context & Pick<LoadContext, 'url' | 'signal'>
}

const VISIT = Symbol('visit')

type OfVisit = PropertyDescriptor & ThisType<{ [VISIT]: RequestContext }>

// One accessor of each for all contexts, for the reason that `lazy-url.ts` gives.
const URL_OF_VISIT: OfVisit = {
  get() {
    return this[VISIT].url
  },
  enumerable: true,
}
const SIGNAL_OF_VISIT: OfVisit = {
  get() {
    return this[VISIT].signal
  },
  enumerable: true,
}

// Made once: what it takes to make one is most of its stack, which tells nothing here.
const OTHER_HAS_THROWN = new DOMException('Another load of this page threw.', 'AbortError')

/** What a deadline's promise resolves with. */
export const DEADLINE = Symbol('deadline')

// Ends the stack there: what a load throws then tells of the site's own functions, as many as V8 keeps, and not of those
// that have served the request.
const onItsOwn = Promise.resolve()

interface RunningLoad {
  step: LoadStep
  promise: Promise<{ value: unknown } | { thrown: unknown }>
  isSettled: boolean
}

interface Progress {
  pendingCount: number
  isDecided: boolean
}

function startLoad(
  step: LoadStep,
  context: LoadContext,
  progress: Progress,
  onLoaded: (value: unknown) => void,
): RunningLoad {
  const load: RunningLoad = { step, isSettled: false, promise: Promise.resolve({ value: undefined }) }
  async function settle() {
    try {
      if (step.load) await onItsOwn
      const value = await step.load?.(context)
      // The last of them is read at once; what waits for another load, or comes too late, is not.
      if (progress.pendingCount > 1 || progress.isDecided) silencePromises(value)
      if (!progress.isDecided) onLoaded(value)
      return { value }
    } catch (thrown) {
      return { thrown }
    } finally {
      load.isSettled = true
      progress.pendingCount--
    }
  }
  load.promise = settle()
  return load
}

// Failures beside a failure are told as well. Beside a redirect, 404 or refusal they are its consequence: the page
// loaded what only a member has, and the layout has turned the visitor away.
function reportOthers(others: readonly RunningLoad[], winner: unknown, step: LoadStep, visit: RequestContext) {
  if (visit.isGone || classifyThrown(winner).kind !== 'failure') return
  // First of all, so that its digest is the one that is shown.
  visit.fail(winner, { phase: 'load', place: { file: step.serverFile, function: 'load' } })
  for (const { promise, step } of others) {
    void promise.then((result) => {
      const isFailure = 'thrown' in result && classifyThrown(result.thrown).kind === 'failure'
      const isAborted = 'thrown' in result && result.thrown === visit.signal.reason
      if (isFailure && !isAborted && !visit.isGone) {
        visit.fail(result.thrown, { phase: 'load', place: { file: step.serverFile, function: 'load' } })
      }
    })
  }
}

export function createDeadline(ms: number) {
  let clear = () => {}
  const passed = new Promise<typeof DEADLINE>((resolve) => {
    clear = startDeadline(ms, () => resolve(DEADLINE))
  })
  return { passed, clear }
}
