import type { DevError } from '../../../src/shared/wire/dev-protocol.ts'
import { fromProblem, fromStart } from './dev-errors.ts'
import type { BrokenPart, DevFailure } from './dev-failures.ts'
import { createErrorList, type ErrorList } from './error-list.ts'
import { buildErrorScript, createErrorPage } from './error-page.ts'

export interface ErrorDisplayInput {
  /** The site's folder. */
  dir: string
  /** Returns the path that the site is mounted at. */
  base(): string
  /**
   * Called when the site does not build or start, after a failure in a request or in a browser, and with each text of a
   * browser's console.
   *
   * @param isRepeat True when the same errors are displayed already.
   */
  onErrors(errors: readonly DevError[], isRepeat: boolean): void
  /** Formats errors for clients without JavaScript. */
  formatErrors(errors: readonly DevError[]): string
}

/** Shows errors in the terminal, in open pages, and in response to requests. */
export interface ErrorDisplay {
  list: ErrorList
  show(errors: readonly DevError[]): void
  /** Shows why the site does not build or start. */
  fail(failure: DevFailure): Promise<void>
  /**
   * Removes all errors, because the site can be served, except for its broken parts. Other errors that have not been fixed
   * occur again. Returns whether errors were displayed: those that are new, and those of changed files.
   *
   * @param changed The changed files, relative to the site; null if nothing has changed. Then all other errors stay.
   */
  recover(broken: readonly BrokenPart[], changed: readonly string[] | null): Promise<boolean>
  /** Returns whether a part of the site is broken. */
  hasBroken(): boolean
  /** Returns the page for requests to a route, by its id; null when it can be served. */
  brokenPage(route: string): string | null
  /** Returns the page for requests: null when the site can be served, and empty until the site has been read. */
  page(): string | null
}

export function createErrorDisplay({ dir, base, onErrors, formatErrors }: ErrorDisplayInput): ErrorDisplay {
  const list = createErrorList()
  // At first the site has not been read.
  let page: string | null = ''
  let script: string | null = null
  let parts: { error: DevError; routes: readonly string[] }[] = []

  function show(errors: readonly DevError[]) {
    const isRepeat = errors.every(({ id }) => list.has(id))
    list.add(errors)
    onErrors(errors, isRepeat)
  }

  return {
    list,
    show,
    async fail(failure) {
      const errors = fromStart(failure, dir)
      list.clear({ kind: 'build' })
      show(errors)
      script ??= await buildErrorScript()
      page = createErrorPage(errors, formatErrors(errors), base(), script)
    },
    async recover(broken, changed) {
      const before = new Set(parts.map(({ error }) => error.id))
      parts = broken.map(({ problem, routes, pages }) => ({
        error: { ...fromProblem(problem, dir), pages },
        routes: routes ?? [],
      }))
      const errors = parts.map(({ error }) => error)
      if (errors.length > 0) script ??= await buildErrorScript()
      page = null
      const others = changed === null ? list.current().filter(({ kind }) => kind !== 'build') : []
      list.replace([...others, ...errors])
      const isNew = ({ id }: DevError) => !before.has(id)
      const shown = errors.filter((error) => isNew(error) || changed?.includes(error.frame?.file ?? ''))
      if (shown.length > 0) onErrors(shown, !shown.some(isNew))
      return shown.length > 0
    },
    hasBroken: () => parts.length > 0,
    brokenPage(route) {
      const isOfRoute = ({ routes }: (typeof parts)[number]) => routes.includes(route)
      const own = parts.filter(isOfRoute).map(({ error }) => error)
      const others = parts.filter((part) => !isOfRoute(part)).map(({ error }) => error)
      if (own.length === 0) return null
      return createErrorPage([...own, ...others], formatErrors(own), base(), script)
    },
    page: () => page,
  }
}
