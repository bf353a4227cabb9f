import { type ReactNode, useLayoutEffect } from 'react'
import { createAppTree, type Tree } from '../shared/tree/app-tree.tsx'
import type { Platform } from '../shared/tree/platform.ts'

/** Returns the React element of a tree. React calls `onCommit` when the tree is in the document. */
export function appElement(tree: Tree, platform: Platform, onCommit: () => void) {
  return <Committed onCommit={onCommit}>{createAppTree(tree, platform)}</Committed>
}

function Committed({ onCommit, children }: { onCommit: () => void; children: ReactNode }) {
  useLayoutEffect(onCommit, [onCommit])
  return children
}
