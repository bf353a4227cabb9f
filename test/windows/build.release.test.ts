// `hydrant build` on Windows and on Linux.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { walk } from '../scripts/walk.ts'
import { createSitesFolder, createSystemSite, runHydrant, type Source } from './windows-site.ts'
import { prepareWindows } from './wine.ts'

const SITES: Readonly<Record<string, Source>> = {
  'a site with Tailwind CSS, forms and sessions': 'examples/shop',
  'a site in MDX': 'examples/docs-site',
  'images, SVG files and variables': 'test/apps/assets',
  'named exports and code that two pages share': 'test/apps/failures',
}

await prepareWindows()
const folder = createSitesFolder(t)

for (const [title, source] of Object.entries(SITES)) {
  t.test(`${title} is built the same on Windows and on Linux`, async (t) => {
    const [linux, windows] = [await build('linux', source), await build('win32', source)]
    const files = walk(linux)
    t.ok(files.length > 20)
    t.strictSame(walk(windows), files)
    t.strictSame(
      files.filter((file) => !read(windows, file).equals(read(linux, file))),
      [],
    )
  })
}

async function build(system: 'linux' | 'win32', source: Source): Promise<string> {
  const name = String(source).replaceAll('/', ' ')
  const dir = await createSystemSite(folder, system, name, source)
  const { code, output } = await runHydrant(system, dir, ['build'])
  if (code !== 0) throw new Error(output)
  return join(dir, '.hydrant')
}

/** The header of gzip names the system. */
function read(dir: string, file: string): Buffer {
  const bytes = readFileSync(join(dir, file))
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes
}
