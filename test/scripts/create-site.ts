import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'

const page = 'export default function Page() {\n  return <p>page</p>\n}\n'

/** The tests that have a site already. */
const served = new WeakSet<object>()

/**
 * Writes a site from contents by path. Its folder is inside the package, so Node.js finds `react` and `hydrant` from it.
 * `pages/index.tsx` is a working page unless it is given. Each further site of a test has a folder of its own, because
 * tap empties a folder that it is asked for again, also if a command serves it.
 */
export function createSite(
  t: Pick<Test, 'testdir' | 'testdirName' | 'teardown'>,
  files: Record<string, string | Buffer>,
  below = '.',
): string {
  // tap then removes the folder after the teardowns, which end the processes that write there.
  t.teardown(() => {})
  if (served.has(t)) t.testdirName += '-next'
  served.add(t)
  const dir = join(t.testdir({}), below)
  writeSite(dir, files)
  return dir
}

/** Writes the site into a folder. */
export function writeSite(dir: string, files: Record<string, string | Buffer>): void {
  for (const [path, contents] of Object.entries({ 'pages/index.tsx': page, ...files })) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), contents)
  }
}
