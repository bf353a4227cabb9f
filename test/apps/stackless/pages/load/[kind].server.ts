import type { LoadContext } from 'hydrant'
import { values } from '../../parts/values.ts'

export async function load({ params }: LoadContext<'/load/[kind]'>) {
  // place: /load
  throw values[params.kind]?.()
}
