import { type ReactNode, useLayoutEffect } from 'react'
import { createAppTree, type Tree } from '../shared/tree/app-tree.tsx'
import type { Platform } from '../shared/tree/platform.ts'

/** The tree, and word of it when it stands in the document. */
export function appElement(tree: Tree, platform: Platform, onCommit: () => void) {
  return <Committed onCommit={onCommit}>{createAppTree(tree, platform)}</Committed>
}

function Committed({ onCommit, children }: { onCommit: () => void; children: ReactNode }) {
  useLayoutEffect(onCommit, [onCommit])
  return children
}
