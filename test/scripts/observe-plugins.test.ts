import type { OnLoadArgs, OnLoadResult, Plugin, PluginBuild } from 'esbuild'
import t from 'tap'
import { observePlugins } from '../../scripts/dev/modules/observe-plugins.ts'

/** Loads a stylesheet with a plugin that names these files and folders. */
async function load(given: Pick<OnLoadResult, 'watchFiles' | 'watchDirs'>) {
  const plugin: Plugin = {
    name: 'test',
    setup: (build) => build.onLoad({ filter: /\.css$/ }, () => ({ contents: '', ...given })),
  }
  const observed = observePlugins([plugin], '/site')
  const loads: ((args: OnLoadArgs) => unknown)[] = []
  // The plugin uses this method only.
  const build = { onLoad: (_: unknown, callback: (args: OnLoadArgs) => unknown) => loads.push(callback) }
  for (const { setup } of observed.plugins) await setup(build as unknown as PluginBuild)
  for (const one of loads) await one({ path: '/site/pages/layout.css' } as OnLoadArgs)
  return observed.dependentsOf
}

t.test('a stylesheet depends on the files and folders that its plugin names', async (t) => {
  const dependentsOf = await load({ watchFiles: ['/site/lib/a.ts'], watchDirs: ['/site', '/site/pages'] })
  for (const path of ['/site/lib/a.ts', '/site/new.tsx', '/site/pages/new.tsx', '/site/pages/deep/new.tsx'])
    t.strictSame(dependentsOf(path), ['/site/pages/layout.css'], path)
  for (const path of ['/site/lib/b.ts', '/site/data/db.json', '/other/new.tsx', '/site/pages/layout.css'])
    t.strictSame(dependentsOf(path), [], path)
  t.strictSame(dependentsOf('/site/lib/a.ts', false), ['/site/pages/layout.css'])
  t.strictSame(dependentsOf('/site/pages/new.tsx', false), [])
})
