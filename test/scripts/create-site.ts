import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'

const page = 'export default function Page() {\n  return <p>page</p>\n}\n'

/**
 * Writes a site from contents by path. Its folder is inside the package, so Node.js finds `react` and `hydrant` from it.
 * `pages/index.tsx` is a working page unless it is given.
 */
export function createSite(
  t: Pick<Test, 'testdir' | 'teardown'>,
  files: Record<string, string | Buffer>,
  below = '.',
): string {
  // tap then removes the folder after the teardowns, which end the processes that write there.
  t.teardown(() => {})
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
