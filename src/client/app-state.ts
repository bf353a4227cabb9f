import type { Tree } from '../shared/tree/app-tree.tsx'
import type { createNavigationStore } from '../shared/tree/navigation-state.ts'

/** What stands in the document, and what it takes to put another page there. */
export interface App {
  tree: Tree
  /** The build that the document came from. */
  build: string
  /** Address of a document that is being loaded; empty if there is none. */
  leaving: string
  navigation: ReturnType<typeof createNavigationStore>
  /** Renders another page; resolves when it stands. */
  show(tree: Tree): Promise<void>
}
