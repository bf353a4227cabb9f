import type { DevReload, DevUpdate } from '../../src/shared/wire/dev-protocol.ts'
import { BuildError, type BuildProblem, filesToWatch } from '../build-problem.ts'
import type { DevChange, DevEngine } from './engine/dev-engine.ts'
import { type BrokenPart, type DevFailure, DOES_NOT_BUILD } from './errors/dev-failures.ts'
import type { ErrorDisplay } from './errors/error-display.ts'
import type { Change, UpdateLoopInput } from './watch/change-batch.ts'
import { ENV_FILE, SETTINGS } from './watch/watch-site.ts'

/** A change that is applied: the site can be served. */
export interface AppliedChange extends DevChange {
  /** The changed files, relative to the site. */
  paths: readonly string[]
  durationMs: number
  /** The message to open pages; null if the change does not affect them. */
  message: DevUpdate | DevReload | null
  /** Whether problems were displayed in the terminal. */
  isReported: boolean
}

export interface ChangeApplierInput {
  engine: DevEngine
  display: ErrorDisplay
  /**
   * Called when a file with environment variables has changed. Returns whether open pages have variables that have
   * changed.
   */
  onEnv(): boolean
  /** Watches also these files. Paths are relative to the site. */
  watch(paths: readonly string[]): void
  /** Serves the state of the change. Returns why that is not possible. */
  serve(change: DevChange): Promise<DevFailure | null>
  onApplied(change: AppliedChange): void
  /** Called with all warnings about the site. */
  onWarnings(warnings: readonly BuildProblem[]): void
}

/** Applies changes to a site. Displays why the site does not build or start, or reports that the change is applied. */
export function createChangeApplier(input: ChangeApplierInput): UpdateLoopInput {
  const { engine, display } = input
  async function failBuild(error: unknown) {
    if (error instanceof BuildError) input.watch(error.problems.flatMap(filesToWatch))
    await display.fail({ title: DOES_NOT_BUILD, error, source: null })
  }

  function showBroken(broken: readonly BrokenPart[], paths: readonly string[] | null): Promise<boolean> {
    input.watch(broken.flatMap(({ problem }) => filesToWatch(problem)))
    return display.recover(broken, paths)
  }

  const isStructural = ({ kind, path }: Change) =>
    kind !== 'change' ||
    SETTINGS.test(path) ||
    ENV_FILE.test(path) ||
    engine.state()?.structure.config.inputs.includes(path) === true

  /** Whether open pages have old variables. It stays true while changes cannot be applied. */
  let isEnvStale = false

  return {
    async apply(changes) {
      const startedAt = performance.now()
      const paths = changes.map(({ path }) => path)
      if (paths.some((path) => ENV_FILE.test(path)) && input.onEnv()) isEnvStale = true
      const last = display.page()
      const wasBroken = last !== null
      const hadBroken = display.hasBroken()
      let change: DevChange
      try {
        change = await engine.change(paths, wasBroken || changes.some(isStructural))
      } catch (error) {
        return await failBuild(error)
      }
      if (change.isScanned) input.watch(engine.inputs())
      const failure = await input.serve(change)
      if (failure) return await display.fail(failure)
      const areNew = await showBroken(change.broken, paths)
      // No page has been sent yet when the site has been read for the first time.
      const message = last === '' ? null : isEnvStale ? RELOAD : messageFor(change, wasBroken || hadBroken)
      isEnvStale = false
      input.onWarnings(change.state.warnings)
      const durationMs = performance.now() - startedAt
      input.onApplied({ ...change, paths, durationMs, message, isReported: areNew })
    },
    // An update looks at the changed modules only.
    async rest() {
      if (display.page() !== null) return
      try {
        const checked = await engine.check()
        if (!checked) return
        await showBroken(checked.broken, null)
        input.onWarnings(checked.warnings)
      } catch (error) {
        await failBuild(error)
      }
    },
  }
}

const RELOAD: DevReload = { type: 'reload' }

/** Returns the message to open pages: they reload, apply an update, or get none. */
function messageFor({ update, isChanged }: DevChange, wasBroken: boolean): DevUpdate | DevReload | null {
  if (update === null) return RELOAD
  return wasBroken || isChanged || hasEffect(update) ? { type: 'update', ...update } : null
}

/** Returns whether an update changes anything: a file may be saved without a change. */
function hasEffect({ modules, styles, files, data }: Omit<DevUpdate, 'type'>): boolean {
  return modules.length > 0 || styles.length > 0 || files.length > 0 || data
}
