import type { LoadContext } from 'hydrant'
import { waitAt } from '../gates.ts'

export async function load(context: LoadContext<'/slow'>) {
  await waitAt('slow', context)
  return 'at last'
}
