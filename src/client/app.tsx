import { type ReactNode, useLayoutEffect } from 'react'
import { createAppTree, type Tree } from '../shared/tree/app-tree.tsx'
import type { Platform } from '../shared/tree/platform.ts'
import type { Boot } from '../shared/wire/boot.ts'

/** Returns the React element of a tree. React calls `onCommit` when the tree is in the document. */
export function appElement(tree: Tree, platform: Platform, onCommit: () => void) {
  const element = <Committed onCommit={onCommit}>{createAppTree(tree, platform)}</Committed>
  return HYDRANT_DEV ? __hydrant_dev__.wrap(element) : element
}

function Committed({ onCommit, children }: { onCommit: () => void; children: ReactNode }) {
  useLayoutEffect(onCommit, [onCommit])
  return children
}

/** The state of the current document, and the function that replaces its page. */
export interface App {
  /** The page that the document shows. */
  tree: Tree
  /** The boot data of the document. */
  boot: Boot
  /** The URL of a document that is being loaded, or an empty string. */
  leaving: string
  platform: Platform
  /** Renders another page. Resolves when it is in the document. */
  show(tree: Tree): Promise<void>
}
