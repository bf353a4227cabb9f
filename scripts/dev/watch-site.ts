import { relative, resolve, sep } from 'node:path'
import { watch } from 'chokidar'
import { ROUTE_TYPES_FILE } from '../build/discover/route-types.ts'

export interface SiteWatcher {
  /** Files outside the site that its last build read. */
  include(paths: readonly string[]): void
  close(): Promise<void>
}

export interface WatchOptions {
  isWanted(kind: ChangeKind, path: string): boolean
  /** Is given the paths that changed together. */
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
 * Whether a change may change the build: `path` is relative to the site, `inputs` is what the last build read, or null
 * when it failed. A site's own data and logs must not start a build, or one that writes on each request never ends; nor
 * may what the build itself writes.
 */
export function isRelevant(kind: ChangeKind, path: string, inputs: ReadonlySet<string> | null): boolean {
  if (path === ROUTE_TYPES_FILE) return false
  if (path.startsWith('public/') || settings.test(path) || inputs?.has(path)) return true
  return source.test(path) && (kind === 'add' || inputs === null)
}

export async function watchSite(dir: string, { isWanted, onChange }: WatchOptions): Promise<SiteWatcher> {
  const siteDir = resolve(dir)
  const toSitePath = (path: string) => relative(siteDir, path).split(sep).join('/')
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const watcher = watch(siteDir, { ignoreInitial: true, ignored: (path) => ignored.test(toSitePath(path)) })

  function report(kind: ChangeKind, path: string) {
    if (!isWanted(kind, toSitePath(path))) return
    changed.add(toSitePath(path))
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
