import { ServerFailure } from '../shared/wire/deferred-data.ts'
import type { App } from './app-state.ts'
import { extrasOf, withResult } from './extras.ts'
import type { NavigatorState } from './navigation/navigator-context.ts'
import type { Page, PageView } from './navigation/page-view.ts'
import type { ResultView } from './result-view.ts'

export type Refresh = ReturnType<typeof createRefresh>

/**
 * Returns the function that runs the loads of the current page and its layouts again. Only one request is pending at a
 * time: further calls wait for it, and then share one more request.
 *
 * The function resolves when React has been given the fresh data; then `shown` resolves when the data is in the
 * document. It rejects when the data cannot be fetched. Then the page stays as it is. `onData` is called in the task in
 * which React gets the data, or when there is none.
 */
export function createRefresh(app: App, state: NavigatorState, view: PageView, results: ResultView) {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<{ shown: Promise<void> }> | undefined
  let waiting: (() => void)[] = []

  async function run() {
    const called = waiting
    waiting = []
    next = undefined
    try {
      const page = await fetchCurrent()
      return { shown: page ? view.replace(page) : Promise.resolve() }
    } finally {
      for (const onData of called) onData()
    }
  }

  /** Returns null if the fresh data is no longer needed. */
  async function fetchCurrent(): Promise<Page | null> {
    const { tree } = app
    const { pathname, search } = tree.address.url
    const before = state.departures
    const url = Object.assign(new URL(location.href), { pathname, search })
    const result = await results.fetchFresh(url, true)
    const isElsewhere = app.tree.leaf.key !== tree.leaf.key || app.tree.address.url.search !== search
    const isNewer = result.kind === 'page' && view.coming().version > result.version
    if (isElsewhere || isNewer) result.stop()
    else if (result.kind === 'redirect') {
      void results.follow(new URL(result.to, url), () => before === state.departures)
    } else if (result.kind !== 'page') throw new Error('The data of this page could not be fetched again.')
    else {
      const { leaf } = result.tree
      if (leaf.kind === 'page') return { ...result, tree: withResult(result.tree, extrasOf(app.tree)) }
      const digest =
        leaf.kind === 'shown' && leaf.shown.kind === 'failure' && 'digest' in leaf.shown && leaf.shown.digest
      // A refusal belongs to the page: for example, it has been deleted. After a failure the old data is better.
      if (digest) throw new ServerFailure(digest)
      return result
    }
    return null
  }

  return (onData?: () => void) => {
    if (onData) waiting.push(onData)
    next ??= running.then(run, run)
    running = next
    return next
  }
}
