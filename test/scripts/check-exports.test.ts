import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import t from 'tap'
import { createExportReader } from '../../scripts/build/bundles/check-exports.ts'
import { discoverSite } from '../../scripts/build/discover/discover-site.ts'
import { readSite } from '../../scripts/build/discover/read-site.ts'

const PAGES = 150
const nameOf = (page: number) => `pages/p${page}.tsx`

t.test('reads the exports of many files in runs of a bounded size, also when some are broken', async (t) => {
  const siteDir = realpathSync(t.testdir())
  mkdirSync(join(siteDir, 'pages'))
  const broken = [nameOf(3), nameOf(120)]
  for (let page = 0; page < PAGES; page++) {
    const file = nameOf(page)
    const code = `export default () => null\nexport const own${page} = 1\n`
    writeFileSync(join(siteDir, file), broken.includes(file) ? 'export default (\n' : code)
  }
  const runs: number[] = []
  const readExports = createExportReader(siteDir, (options) => {
    // The reader passes a list of paths.
    runs.push((options.entryPoints as string[]).length)
    return build({ ...options, write: false })
  })
  const { site } = discoverSite((await readSite(siteDir)).files)

  const { names: exports } = await readExports(site, {})
  t.equal(exports.size, PAGES - broken.length, 'only the broken files are left out')
  t.strictSame(exports.get(nameOf(149)), ['default', 'own149'])
  t.ok(Math.max(...runs) <= 64, 'the memory of a run grows with the square of its files')
  t.ok(runs.reduce((sum, files) => sum + files, 0) <= PAGES + broken.length * 64, 'a broken file repeats one run')

  runs.length = 0
  writeFileSync(join(siteDir, nameOf(7)), 'export default () => "changed"\n')
  t.strictSame((await readExports(site, {})).names.get(nameOf(7)), ['default'])
  t.strictSame(runs, [3, 1], 'only the changed file and the broken ones are parsed again')
})
