/// <reference lib="dom" />

// The option `reactCompiler` with the real compiler: in development and built.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { BuildError } from '../../../scripts/build-problem.ts'
import { copyApp } from '../../build-app.ts'
import { installDocumentedPackages, linkDocumentedPackages } from '../../docs/code/documented-packages.ts'
import { createSite } from '../../scripts/create-site.ts'
import { serve, writeFiles } from '../../server/served.ts'
import { buildSharing } from '../../shared-compression.ts'
import { until } from '../../until.ts'
import { launchChromium, type OpenPage } from '../chromium.ts'
import { keepsState, startDevSite } from './dev-site.ts'

const COMPILED = { 'hydrant.config.ts': 'export default { reactCompiler: true }\n' }

await installDocumentedPackages()

/** Completes a copy of the site. */
function prepare(dir: string, config = COMPILED) {
  writeFiles(dir, config)
  linkDocumentedPackages(dir)
}

/** Builds and serves the site. Returns its address and its log. */
async function serveBuilt(t: Test, config = COMPILED) {
  const dir = copyApp(t, 'dev')
  prepare(dir, config)
  await buildSharing({ dir })
  const { app, log } = await serve(t, dir, { ledger: false })
  return { dir, log, origin: await app.listen({ port: 0, host: '127.0.0.1' }) }
}

/** Clicks the button, which renders the page again. Returns how often the child was rendered by that. */
async function countRenders({ page, evaluate }: OpenPage): Promise<number> {
  const before = await evaluate(readRenders, null)
  await page.click('#click')
  await page.waitForSelector('#click:text("1")')
  return (await evaluate(readRenders, null)) - before
}

function readRenders(): number {
  return Number(Reflect.get(globalThis, 'renders'))
}

t.test('a built page does not render a child again whose props are the same', async (t) => {
  const chromium = await launchChromium(t)
  const configs = { with: COMPILED, without: { 'hydrant.config.ts': 'export default {}\n' } }
  const renders: Record<string, number> = {}
  for (const [name, config] of Object.entries(configs)) {
    await t.test(name, async (t) => {
      const { origin } = await serveBuilt(t, config)
      const open = await chromium.open()
      await open.goto(`${origin}/compiled`, 'load')
      await open.hydrated()
      renders[name] = await countRenders(open)
      t.strictSame(open.errors, [])
    })
  }
  t.strictSame(renders, { with: 0, without: 1 })
})

t.test('a failure of a built page leads to its line, and the server has no compiled components', async (t) => {
  const { dir, log, origin } = await serveBuilt(t)
  const { page } = await (await launchChromium(t)).open()
  await page.goto(`${origin}/compiled/fail`)
  const line = await until(() => log.lines.find(({ err }) => err?.message?.includes('no luck')))
  t.match(line.err?.stack, /at Part \(pages\/compiled\/fail\.tsx:8:/)
  t.notMatch(readFileSync(join(dir, '.hydrant/server/index.mjs'), 'utf8'), 'compiler-runtime')
  const client = join(dir, '.hydrant/client')
  const scripts = readdirSync(client).filter((name) => name.endsWith('.js'))
  t.ok(scripts.some((name) => readFileSync(join(client, name), 'utf8').includes('memo_cache_sentinel')))
})

t.test('the site must have installed the compiler', async (t) => {
  const dir = createSite(t, COMPILED)
  const error: unknown = await buildSharing({ dir }).catch((error: unknown) => error)
  t.match(error instanceof BuildError && error.problems, [
    {
      code: 'HYD_BUILD_REACT_COMPILER',
      message: "React Compiler cannot be loaded: Cannot find module 'oxc-transform-react'",
      location: { file: 'hydrant.config.ts' },
    },
  ])
  const wrong = createSite(t, { 'hydrant.config.ts': "export default { reactCompiler: 'yes' }\n" })
  const invalid: unknown = await buildSharing({ dir: wrong }).catch((error: unknown) => error)
  t.match(invalid instanceof BuildError && invalid.problems, [{ code: 'HYD_OPTION_INVALID' }])
})

t.test('hydrant dev', async (t) => {
  const site = await startDevSite(t, 'dev', { prepare })

  t.test('compiles components, and keeps their state in updates', async (t) => {
    const page = await site.open('/compiled')
    t.equal(await countRenders(page), 0)
    await keepsState(t, page, () => site.edit('pages/compiled/index.tsx', '<h1>Page', '<h1>Paper'), 'h1', 'Paper')
    await keepsState(t, page, () => site.edit('parts/child.tsx', '{word}', '{word}!'), '#child', 'child!')
    const more = () => site.edit('pages/compiled/index.tsx', 'word="child"', "word={'child ' + (clicks + 1)}")
    await keepsState(t, page, more, '#child', 'child 2!')
    t.strictSame(page.messages, [])
  })

  t.test('shows the line of an error', async (t) => {
    const { page, goto } = await site.tab()
    await goto(new URL('/compiled/fail', site.url).href, 'load')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('no luck').first().waitFor()
    t.match(await dialog.innerText(), 'pages/compiled/fail.tsx:8')
  })
})
