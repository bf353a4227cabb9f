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
  const compiler = compilerOf(siteDir, [notes])
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

t.test('the data of a JSON file is a text, which no step reads as code', async (t) => {
  const rows = Array.from({ length: 100 }, (_, id) => ({ id }))
  const many = Array.from({ length: 1_100 }, (_, id) => [`key${id}`, id])
  const siteDir = createSite(t, {
    'rows.json': JSON.stringify({ rows, class: 1, 'a-b': 2, default: 3, data: 4 }),
    'many.json': JSON.stringify(Object.fromEntries(many)),
    'broken.json': '{ "a": }',
  })
  const compiler = compilerOf(siteDir, [])
  const { code, exports } = await compiler.browser('rows.json')
  t.strictSame(exports, ['a-b', 'class', 'data', 'default', 'rows'])
  t.match(code, 'JSON.parse(')
  t.notMatch(code, '{ id: 1 }')
  t.match((await compiler.server('rows.json')).code, 'module.exports = JSON.parse(')
  t.equal((await compiler.browser('many.json')).exports.length, 1101, 'every name of a large object is there')
  await t.rejects(compiler.browser('broken.json'), { errors: [{ location: { line: 1, column: 7 } }] })
})

function compilerOf(siteDir: string, given: readonly Plugin[]) {
  const plugins = observePlugins(given, siteDir)
  const cssCompiler = createCssCompiler(siteDir, [])
  return createModuleCompiler({ siteDir, plugins, settings: NO_SETTINGS, cssCompiler })
}
