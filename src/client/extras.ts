import type { Tree } from '../shared/tree/app-tree.tsx'
import type { Acted } from '../shared/wire/navigation-protocol.ts'
import type { PageExtras } from '../shared/wire/page-extras.ts'

/** Returns a page with another result of its action. */
export function withResult(tree: Tree, { actionData, invalid }: Omit<Acted, 'revalidate'>): Tree {
  const { actionData: _, invalid: __, ...others } = extrasOf(tree)
  const extras: PageExtras = {
    ...others,
    ...(actionData !== undefined && { actionData }),
    ...(invalid !== undefined && { invalid }),
  }
  const data = tree.data.slice(0, tree.layouts.length + 1)
  return { ...tree, data: Object.keys(extras).length > 0 ? [...data, extras] : data }
}

export function extrasOf({ data, layouts }: Tree): PageExtras {
  // Written by `writeActed`.
  return (data[layouts.length + 1] ?? {}) as PageExtras
}
