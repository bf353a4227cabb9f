import { resolve } from 'node:path'
import { watch } from 'chokidar'
import { toSitePath } from '../../src/server/util/to-site-path.ts'
import { ROUTE_TYPES_FILE } from '../build/discover/route-types.ts'

export type ChangeKind = 'add' | 'change' | 'unlink'

export interface Change {
  kind: ChangeKind
  /** Relative to the site. */
  path: string
}

export interface SiteWatcher {
  /** Watches also these files, which are outside the site. */
  include(paths: readonly string[]): void
  /**
   * Resolves when every change that was made before this call has been passed on. A save reaches this process as an
   * event of the file system, and the file is examined before the event is passed on.
   */
  settled(): Promise<void>
  close(): Promise<void>
}

export interface WatchOptions {
  isWanted(change: Change): boolean
  /** Called with the changes that were made together. */
  onChange(changes: Change[]): void
}

/** Several files are often saved at once. An update waits for this time without a change. */
const DEBOUNCE_MS = 10
/** Some editors remove a file and write it again. An update waits for this time after a file was removed. */
const REMOVAL_MS = 50
/** chokidar drops changes of a file for 50 ms after a change, and may be slow to note the time. */
const DROPPED_MS = 100
/** How long an event of the file system may take to become a change. */
const EXAMINATION_MS = 50

const ignored = /(^|\/)(node_modules|\.git|\.hydrant[^/]*|hydrant-errors\.db[^/]*)(\/|$)/
const source =
  /\.([cm]?[jt]sx?|json|css|[a-z]*html?|mdx?|s[ac]ss|less|svg|png|jpe?g|gif|webp|avif|ico|woff2?|[ot]tf|eot)$/i

/** Files that can change how every module is compiled. */
export const SETTINGS = /(^|\/)(tsconfig[\w.-]*|package)\.json$/
/** Files with environment variables, in the site's folder. */
export const ENV_FILE = /^\.env(\.local)?$/

/**
 * Returns whether a change can affect the site. `isInput` recognises the files that the site consists of; it is null
 * while they are not known. Data and logs of the site must not cause an update, or a site that writes on each request
 * would be updated without end. Files that the dev server itself writes must not cause one either.
 */
export function isRelevant({ kind, path }: Change, isInput: ((path: string) => boolean) | null): boolean {
  if (path === ROUTE_TYPES_FILE) return false
  if (path.startsWith('public/') || SETTINGS.test(path) || ENV_FILE.test(path) || isInput?.(path)) return true
  return source.test(path) && (kind === 'add' || isInput === null)
}

export async function watchSite(dir: string, { isWanted, onChange }: WatchOptions): Promise<SiteWatcher> {
  const siteDir = resolve(dir)
  const changed = new Map<string, Change>()
  let timer: NodeJS.Timeout | undefined
  let examination: NodeJS.Timeout | undefined
  let waiting: (() => void)[] = []
  /** When changed files were reported, in milliseconds. */
  const reported = new Map<string, number>()
  /** Files with an event soon after they were reported. */
  const missed = new Set<string>()
  const watcher = watch(siteDir, {
    ignoreInitial: true,
    atomic: false,
    ignored: (path) => ignored.test(toSitePath(siteDir, path)),
  })

  function settle() {
    if (timer !== undefined || examination !== undefined) return
    for (const resume of waiting) resume()
    waiting = []
  }

  function passOn() {
    timer = undefined
    const changes = [...changed.values()]
    changed.clear()
    onChange(changes)
    settle()
  }

  function report(kind: ChangeKind, path: string) {
    const change = { kind, path: toSitePath(siteDir, path) }
    if (!isWanted(change)) return
    // A file that is replaced is removed and added.
    const isReplaced = changed.get(change.path)?.kind === 'unlink' && kind === 'add'
    changed.set(change.path, isReplaced ? { ...change, kind: 'change' } : change)
    clearTimeout(timer)
    const isRemoval = [...changed.values()].some((one) => one.kind === 'unlink')
    timer = setTimeout(passOn, isRemoval ? REMOVAL_MS : DEBOUNCE_MS)
  }

  // A formatter writes a file soon after the editor.
  function reportMissed() {
    for (const path of [...missed]) reportChange(path)
  }

  function reportChange(path: string) {
    reported.set(path, performance.now())
    missed.delete(path)
    report('change', path)
  }

  function expect(_event: string, name: string, details: unknown) {
    // chokidar passes this object with every event of Node's `fs.watch`.
    const { watchedPath } = details as { watchedPath: string }
    for (const path of [watchedPath, resolve(watchedPath, name)]) {
      const at = reported.get(path)
      if (at !== undefined && performance.now() - at < DROPPED_MS) missed.add(path)
    }
    clearTimeout(examination)
    examination = setTimeout(() => {
      examination = undefined
      reportMissed()
      settle()
    }, EXAMINATION_MS)
  }

  watcher.on('raw', expect)
  watcher.on('add', (path) => report('add', path))
  watcher.on('change', reportChange)
  watcher.on('unlink', (path) => report('unlink', path))
  await new Promise<void>((ready, fail) => {
    watcher.once('ready', ready)
    watcher.once('error', fail)
  })
  return {
    include: (paths) => void watcher.add([...paths]),
    async settled() {
      // The events of the file system that have come are handled first.
      await new Promise(setImmediate)
      if (timer === undefined && examination === undefined) return
      await new Promise<void>((resume) => waiting.push(resume))
    },
    async close() {
      clearTimeout(timer)
      clearTimeout(examination)
      timer = examination = undefined
      settle()
      await watcher.close()
    },
  }
}
