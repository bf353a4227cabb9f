import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { build } from 'esbuild'
import type { DevError } from '../../../src/shared/wire/dev-protocol.ts'
import { escapeHtml, escapeScript } from '../../../src/shared/wire/html.ts'
import { entryPath } from '../../build/esbuild/bundler.ts'
import { HYDRANT_FILES, hydrantPath } from '../../build/esbuild/hydrant-files.ts'
import { fromProblem, fromStart } from './dev-errors.ts'
import type { BrokenPart, DevFailure } from './dev-failures.ts'

export interface ErrorDisplayInput {
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
export type ErrorDisplay = ReturnType<typeof createErrorDisplay>

export function createErrorDisplay({ dir, base, onErrors, formatErrors }: ErrorDisplayInput) {
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
    /** Shows why the site does not build or start. */
    async fail(failure: DevFailure) {
      const errors = fromStart(failure, dir)
      list.clear({ kind: 'build' })
      show(errors)
      script ??= await buildErrorScript()
      page = createErrorPage(errors, formatErrors(errors), base(), script)
    },
    /**
     * Removes all errors, because the site can be served, except for its broken parts. Other errors that have not been fixed
     * occur again. Returns whether errors were displayed: those that are new, and those of changed files.
     *
     * @param changed The changed files, relative to the site; null if nothing has changed. Then all other errors stay.
     */
    async recover(broken: readonly BrokenPart[], changed: readonly string[] | null) {
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
    /** Returns the page for requests to a route, by its id; null when it can be served. */
    brokenPage(route: string): string | null {
      const isOfRoute = ({ routes }: (typeof parts)[number]) => routes.includes(route)
      const own = parts.filter(isOfRoute).map(({ error }) => error)
      const others = parts.filter((part) => !isOfRoute(part)).map(({ error }) => error)
      if (own.length === 0) return null
      return createErrorPage([...own, ...others], formatErrors(own), base(), script)
    },
    /** Returns the page for requests: null when the site can be served, and empty until the site has been read. */
    page: (): string | null => page,
  }
}

export type ErrorSelection = Partial<Pick<DevError, 'kind' | 'route' | 'path'>>

/** A loop that fails must not fill the page. */
const MAX_ERRORS = 20

/** Creates the list of current errors, the oldest first. */
export function createErrorList() {
  const listeners = new Set<(errors: readonly DevError[]) => void>()
  let errors: readonly DevError[] = []

  function replace(next: readonly DevError[]) {
    errors = next
    for (const listener of listeners) listener(errors)
  }

  return {
    current: (): readonly DevError[] => errors,
    replace(next: readonly DevError[]) {
      if (!isDeepStrictEqual(next, errors)) replace(next.slice(-MAX_ERRORS))
    },
    has: (id: string) => errors.some((error) => error.id === id),
    /** Adds errors. An error replaces the one with its id. */
    add(added: readonly DevError[]) {
      if (added.length === 0) return
      const byId = new Map([...errors, ...added].map((error) => [error.id, error]))
      replace([...byId.values()].slice(-MAX_ERRORS))
    },
    /** Removes the errors that have all values of the selection; without a selection, all errors. */
    clear(selection: ErrorSelection = {}) {
      const kept = errors.filter((error) => !isSelected(error, selection))
      if (kept.length < errors.length) replace(kept)
    },
    /** Calls `listener` with the complete list after each change. Returns a function that removes it. */
    subscribe(listener: (errors: readonly DevError[]) => void): () => void {
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

/** Milliseconds after which a page without its script loads again. */
const RELOAD_MS = 1_000

/**
 * Bundles the script of the error page: a site that does not build has no scripts. esbuild escapes `</script` in it.
 * Resolves with null if esbuild cannot: the error may be in the `package.json` of the site, which it also reads.
 */
async function buildErrorScript(): Promise<string | null> {
  const path = hydrantPath(HYDRANT_FILES.errorPage)
  const result = await build({
    absWorkingDir: dirname(path),
    entryPoints: [entryPath(dirname(path), path)],
    bundle: true,
    charset: 'utf8',
    format: 'esm',
    legalComments: 'none',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  }).catch(() => null)
  return result?.outputFiles[0]?.text ?? null
}

/** Returns the page for a site that does not build or start. It reloads after each build. `text` is for no scripts. */
function createErrorPage(errors: readonly DevError[], text: string, base: string, script: string | null): string {
  const title = errors[0]?.title ?? ''
  const data = { base: base === '/' ? '' : base, errors }
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 60rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.25rem; }
pre { overflow-x: auto; font: 0.875rem/1.5 ui-monospace, monospace; }
</style>
</head>
<body>
<main role="alert">
<h1>${escapeHtml(title)}</h1>
<pre>${escapeHtml(text)}</pre>
<p>This page reloads when the site has been built again.</p>
</main>
<script type="application/json">${escapeScript(JSON.stringify(data))}</script>
<script type="module">${script ?? `setTimeout(() => location.reload(), ${RELOAD_MS})`}</script>
</body>
</html>
`
}
