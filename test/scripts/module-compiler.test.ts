import { type Plugin, transform } from 'esbuild'
import t from 'tap'
import { NO_SETTINGS } from '../../scripts/build/bundles/esbuild-options.ts'
import { createCssCompiler } from '../../scripts/build/esbuild/css.ts'
import { createModuleCompiler } from '../../scripts/dev/modules/module-compiler.ts'
import { observePlugins } from '../../scripts/dev/modules/observe-plugins.ts'
import { createSite } from './create-site.ts'

t.test('compiles only some modules of a barrel at a time', async (t) => {
  const ids = Array.from({ length: 40 }, (_, index) => `icons/${index}.note`)
  const siteDir = createSite(t, Object.fromEntries(ids.map((id) => [id, 'note'])))
  let [started, finish] = [0, () => {}]
  const held = new Promise<void>((resolve) => {
    finish = resolve
  })
  const notes: Plugin = {
    name: 'notes',
    setup(build) {
      build.onLoad({ filter: /\.note$/ }, async () => {
        started++
        await held
        return { contents: 'export const note = 1\n', loader: 'js' }
      })
    },
  }
  const plugins = observePlugins([notes], siteDir)
  const compiler = createModuleCompiler({
    ...{ siteDir, plugins, settings: NO_SETTINGS },
    cssCompiler: createCssCompiler(siteDir, []),
  })
  const compiled = Promise.all(ids.map(compiler.server))
  while (started < 8) await transform('')
  // More would have started by now.
  for (let turn = 0; turn < 40; turn++) await transform('')
  t.equal(started, 8)
  finish()
  const modules = await compiled
  t.ok(modules.every(({ code }) => code.includes('note')))
  t.equal(started, ids.length)
})
