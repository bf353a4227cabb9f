import type { DevError } from '../../../src/shared/wire/dev-protocol.ts'
import { fromStart } from './dev-errors.ts'
import type { DevFailure } from './dev-failures.ts'
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
  /** Removes all errors, because the site can be served. Errors that have not been fixed occur again. */
  recover(): void
  /** Returns the page for requests: null when the site can be served, and empty until the site has been read. */
  page(): string | null
}

export function createErrorDisplay({ dir, base, onErrors, formatErrors }: ErrorDisplayInput): ErrorDisplay {
  const list = createErrorList()
  // At first the site has not been read.
  let page: string | null = ''
  let script: string | null = null

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
    recover() {
      page = null
      list.clear()
    },
    page: () => page,
  }
}
