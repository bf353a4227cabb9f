import type { LoadContext } from 'hydrant'
import { values } from '../../parts/values.ts'

export function load({ params }: LoadContext<'/deferred/[kind]'>) {
  // place: /deferred
  return { late: new Promise<never>((_, reject) => setTimeout(() => reject(values[params.kind]?.()), 5)) }
}
