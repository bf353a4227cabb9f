import { resolve } from 'node:path'
import { watch } from 'chokidar'
import { toSitePath } from '../../src/server/util/to-site-path.ts'
import { ROUTE_TYPES_FILE } from '../build/discover/route-types.ts'

export interface SiteWatcher {
  /** Watches also these files, which are outside the site. */
  include(paths: readonly string[]): void
  close(): Promise<void>
}

export interface WatchOptions {
  isWanted(kind: ChangeKind, path: string): boolean
  /** Called with the paths that changed together. */
  onChange(paths: string[]): void
}

export type ChangeKind = 'add' | 'change' | 'unlink'

/** Several files are often saved at once. */
const DEBOUNCE_MS = 30

const ignored = /(^|\/)(node_modules|\.git|\.hydrant[^/]*|hydrant-errors\.db[^/]*)(\/|$)/
const source =
  /\.([cm]?[jt]sx?|json|css|[a-z]*html?|mdx?|s[ac]ss|less|svg|png|jpe?g|gif|webp|avif|ico|woff2?|[ot]tf|eot)$/i
const settings = /(^|\/)(tsconfig[\w.-]*|package)\.json$/

/**
 * Returns whether a change can affect the build. `path` is relative to the site; `inputs` are the files that the last
 * build read, null when it failed. Data and logs of the site must not start a build, or a site that writes on each
 * request would rebuild without end. Files that the build itself writes must not start one either.
 */
export function isRelevant(kind: ChangeKind, path: string, inputs: ReadonlySet<string> | null): boolean {
  if (path === ROUTE_TYPES_FILE) return false
  if (path.startsWith('public/') || settings.test(path) || inputs?.has(path)) return true
  return source.test(path) && (kind === 'add' || inputs === null)
}

export async function watchSite(dir: string, { isWanted, onChange }: WatchOptions): Promise<SiteWatcher> {
  const siteDir = resolve(dir)
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const watcher = watch(siteDir, { ignoreInitial: true, ignored: (path) => ignored.test(toSitePath(siteDir, path)) })

  function report(kind: ChangeKind, path: string) {
    const sitePath = toSitePath(siteDir, path)
    if (!isWanted(kind, sitePath)) return
    changed.add(sitePath)
    clearTimeout(timer)
    timer = setTimeout(() => {
      const paths = [...changed]
      changed.clear()
      onChange(paths)
    }, DEBOUNCE_MS)
  }

  watcher.on('add', (path) => report('add', path))
  watcher.on('change', (path) => report('change', path))
  watcher.on('unlink', (path) => report('unlink', path))
  await new Promise<void>((ready, fail) => {
    watcher.once('ready', ready)
    watcher.once('error', fail)
  })
  return {
    include: (paths) => void watcher.add([...paths]),
    async close() {
      clearTimeout(timer)
      await watcher.close()
    },
  }
}
