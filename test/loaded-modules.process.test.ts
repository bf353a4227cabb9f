// What a process that serves a site loads.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'

t.test('what runs in production loads nothing of the build', async (t) => {
  const program =
    "import { register } from 'node:module'; register('data:text/javascript,' + encodeURIComponent(`export async function load(url, context, next) { process._rawDebug('LOADED ' + url); return next(url, context) }`)); await import('hydrant')"
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  const urls = [...stderr.matchAll(/^LOADED (.*)$/gm)].map(([, url]) => url ?? '')
  t.ok(urls.some((url) => url.endsWith('/dist/src/server/plugin.js')))
  t.strictSame(
    urls.filter((url) => /\/(acorn|esbuild|chokidar|typescript)\/|\/dist\/scripts\//.test(url)),
    [],
  )
})
