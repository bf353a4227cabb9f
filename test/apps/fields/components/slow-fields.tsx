import type { LateValues } from '../late.server.ts'
import { DeferredFields } from './deferred-fields.tsx'

/** The fields in a script of their own. */
export default function SlowFields({ later }: { later: Promise<LateValues> }) {
  return <DeferredFields later={later} />
}
