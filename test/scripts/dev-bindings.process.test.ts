// Packages without their binaries, as after `npm install --omit=optional`.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createSite } from './create-site.ts'
import { runCli, startCli } from './run-cli.ts'

/** Options of Node.js that hide the packages whose names begin with a text. */
function hide(start: string): readonly string[] {
  const code = `import Module from 'node:module'
const resolve = Module._resolveFilename
Module._resolveFilename = (name, ...rest) => {
  if (name.startsWith(${JSON.stringify(start)}) || name.endsWith('.node')) throw Object.assign(new Error("Cannot find module '" + name + "'"), { code: 'MODULE_NOT_FOUND' })
  return resolve(name, ...rest)
}`
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`]
}

t.test(
  'without the binary of oxc-transform, pages are loaded again after an edit, and one warning names it',
  async (t) => {
    const page = (text: string) => `export default function Page() {\n  return <p>${text}</p>\n}\n`
    const dir = createSite(t, { 'pages/index.tsx': page('first') })
    const dev = startCli(t, ['dev', dir, '--host', '127.0.0.1', '--port', '0'], { node: hide('@oxc-transform/') })
    const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
    await dev.waitFor(/^Warning: @oxc-transform\/binding-[\w-]+ is not installed/)
    const read = async (path: string) => (await fetch(new URL(path, url))).text()
    const [root = ''] = /\/_hydrant\/assets\/[\w.-]+\.root\.js/.exec(await read('/')) ?? []
    const [, script = ''] = /"\.(\/[^"]+)"/.exec(await read(root)) ?? []
    t.match(await read(`/_hydrant/assets${script}`), /jsx\("p".*first/)
    const events = await fetch(new URL('/_hydrant/dev', url), { headers: { accept: 'text/event-stream' } })
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader()
    writeFileSync(join(dir, 'pages/index.tsx'), page('second'))
    let text = ''
    while (!text.includes('"type":"reload"')) text += (await reader?.read())?.value ?? ''
    t.match(await read('/'), 'second')
    t.equal(dev.lines.filter((line) => line.startsWith('Warning')).length, 1)
    await reader?.cancel()
  },
)

t.test('without the binary of esbuild, the commands name it and the fix', async (t) => {
  const dir = createSite(t, {})
  for (const command of ['dev', 'build']) {
    const { code, stderr } = await runCli([command, dir], { node: hide('@esbuild/') })
    t.equal(code, 1)
    t.match(
      stderr,
      /^Error \[HYD_ESBUILD_MISSING\] esbuild cannot run without its package @esbuild\/.*\nTry: .*--omit=optional/m,
      command,
    )
  }
})
