import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'

type Read = (path: string) => string | null

/**
 * Returns how many processes can run in parallel: `os.availableParallelism()`, or the CPU quota of the control groups if
 * that is less. Node.js knows the quota only since version 22.13, and not in every version of control groups.
 */
export function availableProcessors(read: Read = readOrNull, processors = availableParallelism()): number {
  const quotas = [...groupsOf(read('/proc/self/cgroup') ?? '')].flatMap((folder) => quotaOf(folder, read) ?? [])
  return Math.max(1, Math.floor(Math.min(processors, ...quotas)))
}

/** Yields the folders of the process's control groups and of those around them: each may have a quota. */
function* groupsOf(list: string): Iterable<string> {
  for (const [, controllers = '', path = '/'] of list.matchAll(/^\d+:(.*?):(\/.*)$/gm)) {
    if (controllers !== '' && !controllers.split(',').includes('cpu')) continue
    // A container sees its own group as the root, whatever the path is.
    const roots = controllers === '' ? ['', '/unified'] : [`/${controllers}`, '/cpu']
    for (const root of roots)
      for (let group = path; ; group = dirname(group)) {
        yield `/sys/fs/cgroup${root}${group === '/' ? '' : group}`
        if (group === '/') break
      }
  }
}

/** Returns the number of processors that a group may use; null without a limit. */
function quotaOf(folder: string, read: Read): number | null {
  const [quota, period] =
    read(`${folder}/cpu.max`)?.trim().split(' ') ??
    ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((name) => read(`${folder}/${name}`)?.trim())
  const count = Number(quota) / Number(period)
  return count > 0 ? count : null
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Another system, or another version of control groups.
    return null
  }
}
