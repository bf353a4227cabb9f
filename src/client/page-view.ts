import type { Tree } from '../shared/tree/app-tree.tsx'
import type { App } from './app-state.ts'
import { removeNotices } from './notice.ts'
import { createPageTransition, type PageTransition } from './page-transition.ts'
import { createAnnouncer } from './progress.ts'

/** A page that has been fetched. */
export interface Page {
  tree: Tree
  /** The part of the tree's data that came with this page. */
  newData: readonly unknown[]
  /** Stops receiving the page's deferred data. */
  stop(): void
}

/** Returns a page whose data is complete. */
export const completePage = (tree: Tree): Page => ({ tree, newData: [], stop() {} })

export type PageView = ReturnType<typeof createPageView>

/** Creates the functions that show pages in the document. */
export function createPageView(app: App) {
  const announce = createAnnouncer()
  const inTransition = createPageTransition()
  let current = completePage(app.tree)

  /** Replaces the page. Resolves when the new one is in the document. */
  function replace(page: Page, transition?: PageTransition): Promise<void> {
    const { newData, stop } = current
    current = page
    // A layout that stays may still wait for data of the page before.
    if (!newData.some((data) => data && page.tree.data.includes(data))) stop()
    return inTransition(() => app.show(page.tree), transition)
  }

  return {
    replace,
    /** Replaces the page, removes its notices, and announces the new one to screen readers. */
    async show(page: Page, transition: PageTransition = { type: 'submit' }) {
      await replace(page, transition)
      removeNotices()
      announce(document.title)
    },
  }
}
