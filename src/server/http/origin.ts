import { hostname } from 'node:os'
import type { Occurrence } from '../errors/failure-record.ts'

/** Which process tells of a failure. */
export type Origin = Pick<Occurrence, 'replica' | 'worker' | 'pid'>

/** Of this process. `worker` is its number among those of a primary; null when it serves alone. */
export function ownOrigin(worker: string | null): Origin {
  const origin = { replica: hostname(), pid: process.pid }
  return worker === null ? origin : { ...origin, worker }
}
