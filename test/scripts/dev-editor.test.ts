// The route of `hydrant dev` that opens a file in the developer's editor.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createEditorRoute } from '../../scripts/dev/http/open-editor.ts'
import { until } from '../until.ts'

/** Serves the route for a site in a workspace, with an editor that writes its arguments to a file. */
async function serveRoute(t: Test) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'editor-')))
  const [workspace, program, opened] = [join(folder, 'work'), join(folder, 'editor'), join(folder, 'opened.txt')]
  const dir = join(workspace, 'site')
  mkdirSync(join(dir, 'pages'), { recursive: true })
  writeFileSync(join(workspace, 'package.json'), '{ "workspaces": ["*"] }')
  writeFileSync(join(workspace, 'shared.ts'), '')
  writeFileSync(join(dir, 'pages/a b.tsx'), '')
  writeFileSync(join(dir, 'pages/a.server.ts'), 'const name = 1\n\nexport const load = () => name\n')
  writeFileSync(join(folder, 'secret.txt'), '')
  symlinkSync(join(folder, 'secret.txt'), join(dir, 'link.txt'))
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`)
  chmodSync(program, 0o755)
  process.env.LAUNCH_EDITOR = program
  const respond = createEditorRoute(dir)
  const server = createServer((request, response) => {
    if (!respond(request, response)) response.writeHead(418).end()
  })
  const port = await new Promise((listening) => {
    server.listen(0, '127.0.0.1', () => listening(Object(server.address()).port))
  })
  t.teardown(() => {
    delete process.env.LAUNCH_EDITOR
    server.close()
    rmSync(folder, { recursive: true })
  })
  const open = (query: string, init: RequestInit = {}, path = '/_hydrant/dev/open') =>
    fetch(`http://127.0.0.1:${port}${path}?${query}`, { method: 'POST', ...init })
  return { dir, workspace, opened, open }
}

t.test('opens files of the site and its workspace at their line and column', async (t) => {
  const { dir, workspace, opened, open } = await serveRoute(t)
  for (const [query, base, expected] of [
    ['file=pages/a%20b.tsx&line=3&column=9', '', [join(dir, 'pages/a b.tsx'), '3', '9']],
    ['file=../shared.ts&line=0&column=0', '/shop', [join(workspace, 'shared.ts')]],
    ['file=pages/a.server.ts&line=0&column=0&export=load', '', [join(dir, 'pages/a.server.ts'), '3', '14']],
    ['file=pages/a.server.ts&line=0&column=0&export=guard', '', [join(dir, 'pages/a.server.ts')]],
    ['file=../shared.ts&line=0&column=0&export=load', '', [join(workspace, 'shared.ts')]],
    ['file=../shared.ts&line=2;rm&column=x', '', [join(workspace, 'shared.ts')]],
  ] as const) {
    const response = await open(query, {}, `${base}/_hydrant/dev/open`)
    t.equal(response.status, 204, query)
    await until(() => existsSync(opened))
    t.strictSame(readFileSync(opened, 'utf8').trim().split('\n'), expected)
    rmSync(opened)
  }
})

t.test('opens nothing else', async (t) => {
  const { opened, open } = await serveRoute(t)
  for (const file of ['../../secret.txt', 'link.txt', 'gone.ts', 'pages', '', '/etc/hosts', 'pages/a%20b.tsx%00']) {
    const response = await open(`file=${file}&line=1`)
    t.equal(response.status, 404, file)
  }
  const file = 'file=../shared.ts'
  t.equal((await open(file, { method: 'GET' })).status, 405)
  t.equal((await open(file, { headers: { origin: 'http://evil.example' } })).status, 403)
  t.equal((await open(file, { headers: { 'sec-fetch-site': 'cross-site' } })).status, 403)
  t.equal((await open(file, {}, '/open')).status, 418, 'other paths are left to the site')
  t.notOk(existsSync(opened))
})
