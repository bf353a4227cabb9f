import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { NO_SETTINGS } from '../../scripts/build/bundles/esbuild-options.ts'
import type { SiteConfig } from '../../scripts/build/bundles/read-config.ts'
import { bundlePackages, packageSettingsKey } from '../../scripts/dev/modules/browser/package-bundle.ts'
import { createSite } from './create-site.ts'
import { EMPTY_REACT } from './empty-react.ts'

const CONFIG: SiteConfig = {
  ...{ isUsable: true, config: {}, options: NO_SETTINGS, isStrict: false, key: '', problems: [], inputs: [] },
}

/** Creates a site with the package `paint`. `bundle` bundles its packages, as a start of `hydrant dev` does. */
function createPaintedSite(t: Test) {
  const siteDir = createSite(t, {
    ...EMPTY_REACT,
    'package.json': '{ "type": "module" }',
    'package-lock.json': '{}',
    'node_modules/paint/index.js': "exports.color = 'red'\n",
    'shim/paint.js': "exports.color = 'shimmed'\n",
  })
  return {
    write: (path: string, text: string) => writeFileSync(join(siteDir, path), text),
    siteDir,
    async bundle() {
      let isNew = false
      const { folder, entry, key } = await bundlePackages(
        {
          siteDir,
          cacheDir: join(siteDir, 'node_modules/.cache/hydrant'),
          settings: NO_SETTINGS,
          settingsKey: packageSettingsKey(siteDir, CONFIG),
          specifiers: ['paint'],
          isStrict: false,
        },
        () => {
          isNew = true
        },
      )
      const code = readFileSync(join(folder, entry), 'utf8')
      const [, color] = /color = "(\w+)"/.exec(code) ?? []
      return { isNew, key, color, isModule: /addPackages\(.*, true\)/s.test(code) }
    },
  }
}

t.test('packages are bundled once', async (t) => {
  const { bundle, write } = createPaintedSite(t)
  const first = await bundle()
  t.match(first, { isNew: true, color: 'red', isModule: true })
  t.strictSame(await bundle(), { ...first, isNew: false })
  write('package-lock.json', '{ "updated": true }')
  t.match(await bundle(), { isNew: true, color: 'red' })
})

t.test(
  'packages are bundled again after an edit of one of their files, and found again when it is undone',
  async (t) => {
    const { bundle, siteDir, write } = createPaintedSite(t)
    const file = 'node_modules/paint/index.js'
    const installedAt = new Date('2026-01-02')
    utimesSync(join(siteDir, file), installedAt, installedAt)
    const first = await bundle()
    write(file, "exports.color = 'tan'\n")
    const edited = await bundle()
    t.match(edited, { isNew: true, color: 'tan' })
    t.not(edited.key, first.key, 'open pages notice it by the key')
    write(file, "exports.color = 'red'\n")
    utimesSync(join(siteDir, file), installedAt, installedAt)
    t.strictSame(await bundle(), { ...first, isNew: false })
  },
)

t.test('packages are bundled again after a change of paths in a tsconfig.json', async (t) => {
  const { bundle, write } = createPaintedSite(t)
  await bundle()
  write('tsconfig.base.json', '{ "compilerOptions": { "baseUrl": ".", "paths": { "paint": ["./shim/paint.js"] } } }')
  write('tsconfig.json', '{ "extends": "./tsconfig.base.json" }')
  t.match(await bundle(), { isNew: true, color: 'shimmed' })
  write('tsconfig.base.json', '{}')
  t.match(await bundle(), { isNew: true, color: 'red' })
})

t.test('packages are bundled again after a change of the type of the site', async (t) => {
  const { bundle, write } = createPaintedSite(t)
  t.equal((await bundle()).isModule, true)
  write('package.json', '{ "type": "commonjs" }')
  t.match(await bundle(), { isNew: true, isModule: false })
})
