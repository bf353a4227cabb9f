import type { LayoutLoadContext } from 'hydrant'
import { values } from '../../parts/values.ts'

export const load = async ({ params }: LayoutLoadContext) => {
  // place: /framed
  throw values[params.kind ?? '']?.()
}
