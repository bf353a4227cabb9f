import type { Occurrence } from 'hydrant'

/**
 * Returns the process that recorded an occurrence: `web-1, worker 2, process 4711`. The console imports only the public
 * names of the package, so `scripts/terminal/format-failure.ts` has this function too.
 */
export function serverOf({ replica = '', worker, pid }: Occurrence): string {
  const parts = [replica, worker === undefined ? '' : `worker ${worker}`, pid === undefined ? '' : `process ${pid}`]
  return parts.filter(Boolean).join(', ')
}
