import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const ROOT = 'dist/test'

/**
 * The beginnings of the paths of the slowest files. They run first, so that the run does not end with one of them
 * alone. Files that wait for packages or for deadlines are among those that keep a processor busy.
 */
const SLOWEST = [
  'docs/guide',
  'package/engines',
  'types/types',
  'server/lifecycle/watchdog',
  'server/cluster/stopping',
  'docs/code-sites',
  'examples/',
  'package/create',
  'package/package',
  'scripts/dev-stop',
  'server/render/check-react',
  'docs/code-commands',
  'browser/action-outcomes',
  'scripts/dev-',
  'browser/firefox',
  'server/cluster/',
  'failures/to-the-line',
  'proxy/replicas',
  'scripts/errors-command',
  'browser/dev/overlay',
  'browser/prefetch-budget',
  'server/lifecycle/',
  'server/guards/',
  'server/ledger/',
  'server/admin/start',
  'server/failures/process',
  'server/pages/leaving',
  'types/',
  'browser/site.',
  'browser/form',
  'browser/console',
  'scripts/dev',
  'scripts/cli',
  'docs/',
  'failures/',
  'browser/',
  'proxy/',
  'scripts/',
]

/** Lists the compiled test files in the order in which they start. `tsc` leaves those of deleted sources behind. */
export function listTests(): string[] {
  const all = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  return all
    .filter((file) => file.endsWith('.test.js') && hasSource(file))
    .sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
    .map((file) => join(ROOT, file))
}

function hasSource(file: string): boolean {
  return ['ts', 'tsx'].some((end) => existsSync(join('test', file.replace(/js$/, end))))
}

function rankOf(file: string): number {
  const rank = SLOWEST.findIndex((start) => file.startsWith(start))
  return rank === -1 ? SLOWEST.length : rank
}

/** Says whether a compiled test belongs to the slowest, which `SLOWEST` names before whole folders. */
export function isSlow(file: string): boolean {
  return rankOf(relative(ROOT, file)) < SLOWEST.indexOf('docs/')
}

/** Says whether a compiled test starts programs that may not be installed yet. */
export function usesTools(file: string): boolean {
  return importsOf(file).includes(join(ROOT, 'tools.js'))
}

/** Says whether a compiled test installs the package. */
export function usesPackage(file: string): boolean {
  return importsOf(file).includes(join(ROOT, 'package/pack.js'))
}

/** Says whether a compiled test uses the package as npm installs it. */
export function usesInstalledPackage(file: string): boolean {
  return importsOf(file).includes(join(ROOT, 'package/installed.js'))
}

/** Says whether a compiled test uses the packages that the documents show. */
export function usesDocumentedPackages(file: string): boolean {
  return importsOf(file).includes(join(ROOT, 'docs/code/documented-packages.js'))
}

/** Lists a compiled file and the files of tests that it imports, itself or through others. */
export function importsOf(file: string): string[] {
  const found = new Set([file])
  // A set also visits what is added to it.
  for (const path of found)
    for (const [, specifier = ''] of readFileSync(path, 'utf8').matchAll(/^import [^;]*?from '(\.[^']+)';$/gm)) {
      const imported = join(path, '..', specifier)
      if (imported.startsWith(ROOT)) found.add(imported)
    }
  return [...found]
}
