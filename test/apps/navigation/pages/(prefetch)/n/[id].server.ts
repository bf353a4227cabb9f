import type { LoadContext } from 'hydrant'
import { waitAt } from '../../../gates.ts'

export function load(context: LoadContext<'/n/[id]'>) {
  return waitAt(`n${context.params.id}`, context)
}
