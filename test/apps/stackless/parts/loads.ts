import type { LoadContext } from 'hydrant'
import { values } from './values.ts'

export async function shared({ params }: LoadContext<'/elsewhere/[kind]'>) {
  // place: /elsewhere
  throw values[params.kind]?.()
}
