import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import {
  filterFor,
  HYDRANT_EXPORTS,
  HYDRANT_FILES,
  hydrantPath,
  REACT_EXPORTS,
} from '../../scripts/build/esbuild/hydrant-files.ts'
import * as hydrant from '../../src/server/index.ts'
import * as react from '../../src/shared/react.ts'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'

for (const file of Object.values(HYDRANT_FILES)) {
  t.test(`finds ${file} among the compiled files`, async (t) => {
    t.ok(existsSync(hydrantPath(file)))
    t.match(hydrantPath(file), filterFor(file))
  })
}

t.test('knows the exports of hydrant and hydrant/react', async (t) => {
  t.strictSame(HYDRANT_EXPORTS, Object.keys(hydrant))
  t.strictSame(REACT_EXPORTS, Object.keys(react))
})

t.test('matches a module of Hydrant, not a file with the same path elsewhere', async (t) => {
  t.notMatch(join('/site', 'src', HYDRANT_FILES.base), filterFor(HYDRANT_FILES.base))
  t.notMatch(`${hydrantPath(HYDRANT_FILES.base)}x`, filterFor(HYDRANT_FILES.base))
})

t.test('leaves modules of a site alone that have the path of a module of Hydrant', async (t) => {
  const dir = createSite(t, {
    'src/shared/base.js': "export const base = 'base of the site'\n",
    'src/client/import-module.js': "export const importModule = 'import-module of the site'\n",
    'src/shared/wire/unflatten.js': "export const unflatten = 'unflatten of the site'\n",
    'pages/index.tsx': `import { base } from '../src/shared/base.js'
import { importModule } from '../src/client/import-module.js'
import { unflatten } from '../src/shared/wire/unflatten.js'
export default () => <p>{base}{importModule}{unflatten}</p>
`,
  })
  const { folder, manifest } = await buildSharing({ dir })
  const texts = manifest.clientFiles.map((name) => readFileSync(join(folder, 'client', name), 'utf8')).join('\n')
  for (const name of ['base', 'import-module', 'unflatten']) t.match(texts, `${name} of the site`)
  t.ok(manifest.dataReader.length > 0, 'the module that reads data is Hydrant’s')
})
