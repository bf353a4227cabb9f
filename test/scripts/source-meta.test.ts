// `import.meta` in modules that Node.js runs as a bundle.

import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'

const SERVER = `// The path import.meta.url
interface Place { text: string }
const here: Place = { text: import.meta.dirname }; export const fail = () => { throw new Error(import.meta.filename) }
export const places = [here.text, import.meta.url, 'import.meta.url', \`import.meta.\${'url'}\`]
const { dirname, resolve, ...others } = import.meta
const placeOf = (meta: ImportMeta) => [meta.filename, typeof meta.resolve]
export const passed = [dirname, others.url, typeof resolve, ...placeOf(import.meta), (import.meta as ImportMeta).dirname]
export const load = () => ({ places })
export default async function server() {}
`

t.test('the place of a module is that of its source, also in a site that was moved', async (t) => {
  const built = createSite(t, {
    'pages/index.tsx': "import { text } from '@parts/text.ts'\nexport default () => <p>{text}</p>\n",
    'pages/index.server.ts': "export { load } from '../server.ts'\n",
    'parts/text.ts': "export const text = 'part'\n",
    'server.ts': SERVER,
    'hydrant.config.ts': `import { join } from 'node:path'
export default { esbuild: { alias: { '@parts': join(import.meta.dirname, 'parts') } } }
`,
  })
  const { warnings } = await buildSharing({ dir: built })
  t.strictSame(warnings, [])
  const dir = `${built}-moved`
  renameSync(built, dir)
  t.teardown(() => renameSync(dir, built))
  const { modules } = await import(pathToFileURL(join(dir, '.hydrant/server/index.mjs')).href)
  const { places, passed, fail } = modules['server.ts']
  const file = join(dir, 'server.ts')
  t.strictSame(places, [dir, pathToFileURL(file).href, 'import.meta.url', 'import.meta.url'])
  t.strictSame(passed, [dir, pathToFileURL(file).href, 'function', file, 'function', dir])
  t.throws(fail, { message: file })
  t.notMatch(readFileSync(join(dir, '.hydrant/server/index.mjs'), 'utf8'), built)
})
