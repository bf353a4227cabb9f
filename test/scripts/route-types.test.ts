import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createSiteBuilder } from '../../scripts/build/site-builder.ts'
import { createSite } from './create-site.ts'

t.test('a build writes the routes of the site for TypeScript, only when they change', async (t) => {
  const dir = createSite(t, {
    'pages/(shop)/products/[id].tsx': 'export default () => null\n',
    "pages/it's/[...path].jsx": 'export default () => null\n',
  })
  const file = join(dir, 'hydrant-env.d.ts')
  const builder = createSiteBuilder({ dir, mode: 'development' })
  t.teardown(() => builder.dispose())
  await builder.compile()
  const text = readFileSync(file, 'utf8')
  t.match(text, "declare module 'hydrant/react'")
  t.strictSame(
    [...text.matchAll(/^ {4}('.*'): unknown$/gm)].map(([, name]) => name),
    ["'/'", "'/it\\'s/[...path]'", "'/products/[id]'"],
  )
  const { mtimeMs } = statSync(file)
  await builder.compile()
  t.equal(statSync(file).mtimeMs, mtimeMs)
  writeFileSync(join(dir, 'pages', 'about.tsx'), 'export default () => null\n')
  await builder.compile()
  t.match(readFileSync(file, 'utf8'), "'/about'")
})

t.test('a site without TypeScript gets no such file', async (t) => {
  const dir = createSite(t, {})
  const js = createSite(t, { 'js/pages/index.jsx': 'export default () => null\n' })
  for (const [folder, expected] of [
    [dir, true],
    [join(js, 'js'), false],
  ] as const) {
    const builder = createSiteBuilder({ dir: folder, mode: 'development' })
    await builder.compile()
    await builder.dispose()
    t.equal(existsSync(join(folder, 'hydrant-env.d.ts')), expected)
  }
})
