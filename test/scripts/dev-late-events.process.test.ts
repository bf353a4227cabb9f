// In development, a request can need a file that has just been saved, before the system has reported the change.

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createBrowserModules, createStylesheets } from '../../scripts/dev/modules/browser/browser-modules.ts'
import { parseModule, readBrowserModule } from '../../scripts/dev/modules/browser/read-browser-module.ts'
import { until } from '../until.ts'
import { createSite } from './create-site.ts'
import { startCli } from './run-cli.ts'

/** How often the server looks for changes. The tests save a file and request it sooner. */
const INTERVAL_MS = 10_000

const page = (attributes = '') => `export default () => <p${attributes}>page</p>\n`
const component = (text: string) => `export const Slow = () => <p>${text}</p>\n`

/** Reads `slow.tsx`, and compiles it for a browser only when the file that `HELD` names does not exist. */
const CONFIG = `import { existsSync, readFileSync } from 'node:fs'
const slow = {
  name: 'slow',
  setup({ onLoad, initialOptions: { platform } }) {
    onLoad({ filter: /slow\\.tsx$/ }, async ({ path }) => {
      const contents = readFileSync(path, 'utf8')
      const isHeld = () => platform === 'browser' && existsSync(process.env.HELD)
      console.log('slow.tsx', isHeld() ? 'waits' : 'is read')
      while (isHeld()) await new Promise((resume) => setTimeout(resume, 20))
      return { contents, loader: 'tsx' }
    })
  },
}
export default { esbuild: { plugins: [slow] } }
`

const dir = createSite(t, {
  'hydrant.config.ts': CONFIG,
  'components/slow.tsx': component('first'),
  'lib/found.ts': "export const find = () => 'found'\n",
  'pages/component.tsx': page(),
  'pages/directive.tsx': page(),
  'pages/imports.tsx': page(),
  'pages/imports.server.ts': 'export const load = () => 1\n',
  'pages/misspelled.tsx': page(),
  'pages/misspelled.server.ts': "import { find } from '../lib/found.ts'\nexport const load = () => find()\n",
  'pages/slow.tsx': "import { Slow } from '../components/slow.tsx'\nexport default () => <Slow />\n",
})
const held = join(dir, 'held')
const env = { HELD: held, CHOKIDAR_USEPOLLING: 'true', CHOKIDAR_INTERVAL: String(INTERVAL_MS) }
const dev = startCli(t, ['dev', dir, '--port', '0', '--host', '127.0.0.1'], { env })
const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
const save = (path: string, text: string) => writeFileSync(join(dir, path), text)

async function read(path: string, accept = '*/*'): Promise<string> {
  return (await fetch(new URL(path, url), { headers: { accept } })).text()
}

/** Returns the URLs of the scripts that a script imports. */
async function importsOf(path: string): Promise<string[]> {
  const text = await read(path)
  return [...text.matchAll(/"(\.\/[\w.-]+\.js)"/g)].map(([, name = '']) => new URL(name, new URL(path, url)).pathname)
}

/** Requests a document. Returns the URL of the script of its page. */
async function openPage(path: string): Promise<string> {
  const [root = ''] = /[\w/.-]+\.root\.js/.exec(await read(path, 'text/html')) ?? []
  return (await importsOf(root)).find((name) => name.includes(path.slice(1))) ?? `no script in ${root}`
}

// The site has been read then.
await read('/', 'text/html')

t.test('an import that such a file adds works when the change is reported', async (t) => {
  save('pages/imports.server.ts', "import { find } from '../lib/found.ts'\nexport const load = () => find()\n")
  // It fails, because nothing is known of the import yet.
  await read('/imports', 'application/json')
  await dev.waitFor(/^updated in .*\(pages\/imports\.server\.ts\)$/)
  t.equal(await read('/imports', 'application/json'), '"found"')
})

t.test('also in a browser, which gets a new script', async (t) => {
  const script = await openPage('/component')
  save('pages/component.tsx', "import { find } from '../lib/found.ts'\nexport default () => <p>{find()}</p>\n")
  t.match(await read(script), 'find()')
  await dev.waitFor(/^updated in .*\(pages\/component\.tsx\)$/)
  const next = await openPage('/component')
  t.not(next, script)
  t.match(await importsOf(next), [/lib-found/])
})

t.test('a misspelled import in such a file of the server is displayed', async (t) => {
  const misspelled = "import { fnid } from '../lib/found.ts'\nexport const load = () => fnid()\n"
  save('pages/misspelled.server.ts', misspelled)
  t.match(await read('/misspelled', 'application/json'), 'Internal Server Error')
  await dev.waitFor(/^Build error {2}The site does not build$/)
  save('pages/misspelled.server.ts', misspelled.replaceAll('fnid', 'find'))
  await dev.waitFor(/^updated in/)
})

t.test('a mistake in such a file that only the whole site shows is displayed', async (t) => {
  const script = await openPage('/directive')
  save('pages/directive.tsx', page(" onClick={() => {\n  'use server'\n}}"))
  t.match(await read(script), 'use server')
  await dev.waitFor(/^Error \[HYD_BUILD_USE_SERVER\] pages\/directive\.tsx/)
  save('pages/directive.tsx', page())
  await dev.waitFor(/^updated in/)
})

t.test('a file that is saved while it is compiled for a request is compiled again', async (t) => {
  const [script = ''] = (await importsOf(await openPage('/slow'))).filter((name) => name.includes('slow'))
  writeFileSync(held, '')
  const first = read(script)
  await dev.waitFor(/^slow\.tsx waits$/)
  save('components/slow.tsx', component('second'))
  await dev.waitFor(/^slow\.tsx is read$/)
  rmSync(held)
  t.match(await first, 'first')
  await until(async () => (await read(script)).includes('second'))
})

t.test('so is a stylesheet', async (t) => {
  let [text, finish] = ['first', () => {}]
  const held = new Promise<void>((resolve) => {
    finish = resolve
  })
  const styles = createStylesheets(() => ({
    async stylesheet(id) {
      const css = text
      await held
      return { css, inputs: [id], hasWarnings: false }
    },
    browser: () => Promise.reject(new Error('not a stylesheet')),
    asset: () => undefined,
  }))
  const first = styles.read('a.css')
  text = 'second'
  const recompiled = styles.recompile(['a.css'], () => true)
  finish()
  t.equal(await first, 'first')
  t.strictSame(await recompiled, { changed: [{ id: 'a.css', css: 'second' }], needsCheck: false })
  t.equal(await styles.read('a.css'), 'second')
})

t.test('a module that is compiled while everything is forgotten is not kept', async (t) => {
  let [text, isCleared] = ['first', false]
  const modules = createBrowserModules({
    folder: t.testdir({}),
    packages: () => ({}),
    position: () => '',
    compiler: () => ({
      async browser() {
        const code = `export const text = '${text}'`
        if (isCleared) modules.clear()
        return readBrowserModule({ code, program: parseModule(code) })
      },
      stylesheet: () => Promise.reject(new Error('not a module')),
      asset: () => undefined,
    }),
  })
  const script = modules.rootName('a.ts').replace('.root.js', '.1.js')
  t.match(await modules.read(script), { text: /first/ })
  ;[text, isCleared] = ['with old settings', true]
  await modules.recompile(['a.ts'])
  ;[text, isCleared] = ['last', false]
  t.match(await modules.read(script), { text: /last/ })
})
