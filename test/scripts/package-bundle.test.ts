import fs, { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { NO_SETTINGS } from '../../scripts/build/bundles/esbuild-options.ts'
import type { SiteConfig } from '../../scripts/build/bundles/read-config.ts'
import { bundlePackages } from '../../scripts/dev/modules/packages/bundle-packages.ts'
import { packageSettingsKey } from '../../scripts/dev/modules/packages/package-cache.ts'
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
    'node_modules/brush/index.js': "exports.paint = () => { throw 'no paint' }\n",
    'node_modules/broken/index.js': 'const\n',
    'shim/paint.js': "exports.color = 'shimmed'\n",
  })
  return {
    write: (path: string, text: string) => writeFileSync(join(siteDir, path), text),
    siteDir,
    async bundle(others: readonly string[] = []) {
      let isNew = false
      const { folder, scripts, imports, files } = await bundlePackages(
        {
          siteDir,
          cacheDir: join(siteDir, 'node_modules/.cache/hydrant'),
          settings: NO_SETTINGS,
          settingsKey: packageSettingsKey(siteDir, CONFIG),
          specifiers: ['paint', ...others],
          isStrict: false,
        },
        () => {
          isNew = true
        },
      )
      const textOf = (name = '') => readFileSync(join(folder, name), 'utf8')
      const [, color] = /color = "(\w+)"/.exec(textOf(scripts.paint?.file)) ?? []
      const isModule = !imports.map(textOf).join('').includes('"__esModule" in exports')
      return { isNew, files, color, isModule, brush: scripts.brush && textOf(scripts.brush.file) }
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
    t.notOk(
      first.files.every((name) => edited.files.includes(name)),
      'open pages notice it by the names',
    )
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

t.test('a package that is added does not change the scripts of the others', async (t) => {
  const { bundle } = createPaintedSite(t)
  const first = await bundle(['brush'])
  t.match(first.brush, /throw \(typeof \$kept/, 'the values that it throws are marked')
  const second = await bundle(['brush', 'paint/index.js'])
  t.equal(second.isNew, true)
  t.equal(second.brush, first.brush)
  t.ok(second.files.length > first.files.length)
})

t.test('the disk has five bundles, and nothing of a bundle that failed', async (t) => {
  const { bundle, siteDir, write } = createPaintedSite(t)
  const inCache = () => readdirSync(join(siteDir, 'node_modules/.cache/hydrant')).sort()
  const install = async (version: number) => {
    write('package-lock.json', JSON.stringify({ version }))
    return (await bundle()).isNew
  }
  for (const version of [1, 2, 3, 4, 5, 6]) t.equal(await install(version), true)
  t.equal(inCache().length, 10, 'a folder and a list of files for each')
  t.equal(await install(2), false)
  t.equal(await install(7), true)
  t.equal(await install(2), false, 'it was used last')
  t.equal(await install(1), true)
  await t.rejects(bundle(['broken']), { errors: [{ text: /^Expected/ }] })
  await bundle(['brush'])
  t.equal(inCache().length, 10)
})

for (const code of ['EACCES', 'EPERM']) {
  t.test(`a folder above the site that the system does not list has no settings (${code})`, async (t) => {
    const siteDir = t.testdir({ site: { 'tsconfig.json': '{}' } })
    const list = fs.readdirSync
    const refuse = (path: string) => {
      if (path === dirname(siteDir)) throw Object.assign(new Error(code), { code })
      return list(path)
    }
    Object.assign(fs, { readdirSync: refuse })
    syncBuiltinESMExports()
    t.teardown(() => {
      Object.assign(fs, { readdirSync: list })
      syncBuiltinESMExports()
    })
    t.ok(packageSettingsKey(join(siteDir, 'site'), CONFIG))
  })
}
