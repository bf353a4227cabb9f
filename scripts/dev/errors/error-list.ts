import { isDeepStrictEqual } from 'node:util'
import type { DevError } from '../../../src/shared/wire/dev-protocol.ts'

/** The fields by which errors are selected. */
export type ErrorSelection = Partial<Pick<DevError, 'kind' | 'route' | 'path'>>

/** The current errors of a site in development, the oldest first. */
export interface ErrorList {
  current(): readonly DevError[]
  has(id: string): boolean
  /** Adds errors. An error replaces the one with its id. */
  add(errors: readonly DevError[]): void
  /** Replaces all errors. */
  replace(errors: readonly DevError[]): void
  /** Removes the errors that have all values of the selection; without a selection, all errors. */
  clear(selection?: ErrorSelection): void
  /** Calls `listener` with the complete list after each change. Returns a function that removes it. */
  subscribe(listener: (errors: readonly DevError[]) => void): () => void
}

/** A loop that fails must not fill the page. */
const MAX_ERRORS = 20

export function createErrorList(): ErrorList {
  const listeners = new Set<(errors: readonly DevError[]) => void>()
  let errors: readonly DevError[] = []

  function replace(next: readonly DevError[]) {
    errors = next
    for (const listener of listeners) listener(errors)
  }

  return {
    current: () => errors,
    replace(next) {
      if (!isDeepStrictEqual(next, errors)) replace(next.slice(-MAX_ERRORS))
    },
    has: (id) => errors.some((error) => error.id === id),
    add(added) {
      if (added.length === 0) return
      const byId = new Map([...errors, ...added].map((error) => [error.id, error]))
      replace([...byId.values()].slice(-MAX_ERRORS))
    },
    clear(selection = {}) {
      const kept = errors.filter((error) => !isSelected(error, selection))
      if (kept.length < errors.length) replace(kept)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function isSelected(error: DevError, { kind, route, path }: ErrorSelection): boolean {
  return (
    (kind === undefined || error.kind === kind) &&
    (route === undefined || error.route === route) &&
    (path === undefined || error.path === path)
  )
}
