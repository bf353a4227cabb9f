import type { LayoutLoadContext } from 'hydrant'

let loads = 0

export function load(context: LayoutLoadContext<'/'>) {
  const { search } = context as { search?: unknown }
  return { params: context.params, hasSearch: search !== undefined, loads: ++loads }
}
