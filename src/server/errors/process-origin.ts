import { hostname } from 'node:os'
import type { Occurrence } from './failure-record.ts'

/** The process in which a failure occurred. */
export type ProcessOrigin = Pick<Occurrence, 'replica' | 'worker' | 'pid'>

/** Returns the origin of this process. `worker` is its number in the cluster, or null when it serves alone. */
export function ownOrigin(worker: string | null): ProcessOrigin {
  const origin = { replica: hostname(), pid: process.pid }
  return worker === null ? origin : { ...origin, worker }
}
