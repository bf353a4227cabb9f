import { readFileSync } from 'node:fs'
import t from 'tap'
import { ASSET_EXTENSIONS } from '../../scripts/build/esbuild/assets.ts'

t.test('hydrant/assets declares each kind of file that a build treats as an asset, and styles', async (t) => {
  const text = readFileSync('src/shared/assets.d.ts', 'utf8')
  const declared = [...text.matchAll(/^declare module '\*\.([\w.]+)'/gm)].map(([, extension]) => extension)
  t.strictSame(declared.toSorted(), ['module.css', 'css', 'module.scss', 'scss', ...ASSET_EXTENSIONS].toSorted())
})
