import { type ReactNode, useLayoutEffect } from 'react'
import { createAppTree, type Tree } from '../shared/tree/app-tree.tsx'
import type { Platform } from '../shared/tree/platform.ts'

/** Returns the React element of a tree. React calls `onCommit` when the tree is in the document. */
export function appElement(tree: Tree, platform: Platform, onCommit: () => void) {
  const element = <Committed onCommit={onCommit}>{createAppTree(tree, platform)}</Committed>
  return HYDRANT_DEV ? __hydrant_dev__.wrap(element) : element
}

function Committed({ onCommit, children }: { onCommit: () => void; children: ReactNode }) {
  useLayoutEffect(onCommit, [onCommit])
  return children
}
