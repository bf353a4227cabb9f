import type { FSWatcher } from '#chokidar'

/** Returns whether files are checked at intervals. chokidar reads this variable, too. */
export function isPolling({ CHOKIDAR_USEPOLLING: value = '' }: NodeJS.ProcessEnv): boolean {
  return !['', '0', 'false'].includes(value.toLowerCase())
}

/**
 * Looks for changed files at intervals, for systems that do not report changes. Resolves when all files are known.
 *
 * @param notice Called with a file that was found, that has changed or that is gone.
 */
export async function pollFiles(
  folder: string,
  isIgnored: (path: string) => boolean,
  notice: (path: string) => void,
): Promise<Pick<FSWatcher, 'add' | 'close'>> {
  const { watch } = await import('#chokidar')
  const watcher = watch(folder, { atomic: false, ignored: isIgnored })
  for (const event of ['add', 'change', 'unlink'] as const) watcher.on(event, notice)
  await new Promise<void>((ready, fail) => {
    watcher.once('ready', ready)
    watcher.once('error', fail)
  })
  return watcher
}
