import type { Tree } from '../shared/tree/app-tree.tsx'
import type { navigationStore } from '../shared/tree/navigation-state.ts'
import type { Platform } from '../shared/tree/platform.ts'
import type { Boot } from '../shared/wire/boot.ts'

/** The state of the current document, and the function that replaces its page. */
export interface App {
  /** The page that the document shows. */
  tree: Tree
  /** The boot data of the document. */
  boot: Boot
  /** The URL of a document that is being loaded, or an empty string. */
  leaving: string
  platform: Platform & { navigation: typeof navigationStore }
  /** Renders another page. Resolves when it is in the document. */
  show(tree: Tree): Promise<void>
}
