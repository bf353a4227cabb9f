import type { RequestContext } from '../context/request-context.ts'
import { createHydrantError } from '../errors/hydrant-error.ts'
import type { Components } from '../failures/failure-context.ts'
import { startDeadline } from '../util/deadline.ts'
import type { Deferred } from './deferred.ts'

interface DeadlineInput {
  renderMs: number
  data: Deferred
  ctx: RequestContext
  /** Makes React fail everything that is pending. */
  stopReact(error: Error): void
  /** Called when React has reported everything that it stopped. */
  onStopped(): void
}

/** The promises and components that the deadline stopped. */
interface Timeout {
  error: Error
  /** Paths of the deferred promises: `data.reviews`. */
  pending: string[]
  /** React's stacks of the components. */
  componentStacks: string[]
}

/**
 * The deadline of one document. When it passes, everything that is pending fails with HYD_RENDER_TIMEOUT. All of that
 * is one failure with one log line.
 */
export class RenderDeadline {
  #input: DeadlineInput
  #timeout: Timeout | null = null
  #isLogged = false
  /** Cancels the timer. */
  readonly clear: () => void

  constructor(input: DeadlineInput) {
    this.#input = input
    this.clear = startDeadline(input.renderMs, () => this.#pass())
  }

  /** True when the deadline has passed: whatever fails from then on fails because it was stopped. */
  get hasPassed(): boolean {
    return this.#timeout !== null
  }

  /** Adds a component that the deadline stopped. Returns the digest of the failure. */
  addComponent(components: Components): string | undefined {
    if (!this.#timeout) return undefined
    this.#timeout.componentStacks.push(components.componentStack ?? '')
    return this.#input.ctx.name(this.#timeout.error, { phase: 'render', components }).digest
  }

  /**
   * Writes the log line of the failure. Call it when everything that was pending is known. Does nothing before the
   * deadline, nor the second time.
   */
  log() {
    if (!this.#timeout || this.#isLogged) return
    this.#isLogged = true
    const { error, pending, componentStacks } = this.#timeout
    const components = { componentStack: componentStacks[0] }
    this.#input.ctx.fail(error, { phase: 'render', pending, pendingComponents: componentStacks, components })
  }

  #pass() {
    const { renderMs, data, ctx, stopReact, onStopped } = this.#input
    const pending = data.pendingNames()
    const error = createHydrantError('HYD_RENDER_TIMEOUT', [renderMs, pending.join(', ') || 'components'])
    this.#timeout = { error, pending, componentStacks: [] }
    // The promises fail before React and the loads are stopped: a rejection that the stop causes is no failure of its
    // own.
    if (pending.length > 0) data.failPending(ctx.name(error, { phase: 'render', place: data.place }))
    stopReact(error)
    ctx.abort(error)
    // React reports the stopped components in a timer that it set just before this one.
    setTimeout(() => {
      this.log()
      onStopped()
    }, 0)
  }
}
