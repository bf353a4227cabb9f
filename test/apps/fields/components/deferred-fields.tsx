import { use } from 'react'
import type { LateValues } from '../late.server.ts'
import { LateFields } from './late-fields.tsx'

export function DeferredFields({ later }: { later: Promise<LateValues> }) {
  return <LateFields data={use(later)} />
}
