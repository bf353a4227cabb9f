/// <reference lib="dom" />

// The option `reactCompiler` with the real compiler: in development and built.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from 'hydrant'
import t, { type Test } from 'tap'
import { BuildError } from '../../../scripts/build-problem.ts'
import { installDocumentedPackages, linkDocumentedPackages } from '../../docs/code/documented-packages.ts'
import { createSite } from '../../scripts/create-site.ts'
import { buildSharing } from '../../shared-compression.ts'
import { until } from '../../until.ts'
import { launchChromium, type OpenPage } from '../chromium.ts'
import { keepsState, LAYOUT, STATE, startDevSite } from './dev-site.ts'

const FILES = {
  'hydrant.config.ts': 'export default { reactCompiler: true }\n',
  'pages/layout.tsx': LAYOUT,
  'pages/index.tsx': `import { useState } from 'react'
import { Child } from '../parts/child.tsx'
import { State } from '../parts/state.tsx'

export default function Page() {
  const [clicks, setClicks] = useState(0)
  return (
    <main>
      <h1>Page</h1>
      <button id="click" type="button" onClick={() => setClicks(clicks + 1)}>{clicks}</button>
      <Child word="child" />
      <State />
    </main>
  )
}
`,
  'pages/fail.tsx': `import { useEffect, useState } from 'react'

interface Props {
  isBroken: boolean
}

function Part({ isBroken }: Props) {
  if (isBroken) throw new Error('no luck')
  return <b>whole</b>
}

export default function Fail() {
  const [isBroken, setBroken] = useState(false)
  useEffect(() => setBroken(true), [])
  return <Part isBroken={isBroken} />
}
`,
  'parts/child.tsx': `export function Child({ word }: { word: string }) {
  countRender()
  return <i id="child">{word}</i>
}

function countRender() {
  Object.assign(globalThis, { renders: (Reflect.get(globalThis, 'renders') ?? 0) + 1 })
}
`,
  'parts/state.tsx': STATE,
}

await installDocumentedPackages()

/** Builds and serves a site. Returns its address and its log. */
async function serve(t: Test, files: Record<string, string>) {
  const dir = createSite(t, files)
  linkDocumentedPackages(dir)
  await buildSharing({ dir })
  const lines: string[] = []
  const app = await createServer({
    dir,
    ledger: false,
    logger: { stream: { write: (line: string) => lines.push(line) } },
  })
  t.teardown(() => app.close())
  return { dir, lines, origin: await app.listen({ port: 0, host: '127.0.0.1' }) }
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
  const sites = { with: FILES, without: { ...FILES, 'hydrant.config.ts': 'export default {}\n' } }
  const renders: Record<string, number> = {}
  for (const [name, files] of Object.entries(sites)) {
    const { origin } = await serve(t, files)
    const open = await chromium.open()
    await open.goto(origin, 'load')
    await open.hydrated()
    renders[name] = await countRenders(open)
    t.strictSame(open.errors, [])
  }
  t.strictSame(renders, { with: 0, without: 1 })
})

t.test('a failure of a built page leads to its line, and the server has no compiled components', async (t) => {
  const { dir, lines, origin } = await serve(t, FILES)
  const { page } = await (await launchChromium(t)).open()
  await page.goto(`${origin}/fail`)
  const line = await until(() => lines.find((line) => line.includes('no luck')))
  t.match(JSON.parse(line).err.stack, /at Part \(pages\/fail\.tsx:8:/)
  t.notMatch(readFileSync(join(dir, '.hydrant/server/index.mjs'), 'utf8'), 'compiler-runtime')
  const client = join(dir, '.hydrant/client')
  const scripts = readdirSync(client).filter((name) => name.endsWith('.js'))
  t.ok(scripts.some((name) => readFileSync(join(client, name), 'utf8').includes('memo_cache_sentinel')))
})

t.test('the site must have installed the compiler', async (t) => {
  const dir = createSite(t, FILES)
  const error: unknown = await buildSharing({ dir }).catch((error: unknown) => error)
  t.match(error instanceof BuildError && error.problems, [
    {
      code: 'HYD_BUILD_REACT_COMPILER',
      message: "React Compiler cannot be loaded: Cannot find module 'oxc-transform-react'",
      location: { file: 'hydrant.config.ts' },
    },
  ])
  const wrong = createSite(t, { ...FILES, 'hydrant.config.ts': "export default { reactCompiler: 'yes' }\n" })
  const invalid: unknown = await buildSharing({ dir: wrong }).catch((error: unknown) => error)
  t.match(invalid instanceof BuildError && invalid.problems, [{ code: 'HYD_OPTION_INVALID' }])
})

t.test('hydrant dev', async (t) => {
  const site = await startDevSite(t, FILES, { prepare: linkDocumentedPackages })

  t.test('compiles components, and keeps their state in updates', async (t) => {
    const page = await site.open('/')
    t.equal(await countRenders(page), 0)
    await keepsState(t, page, () => site.edit('pages/index.tsx', '<h1>Page', '<h1>Paper'), 'h1', 'Paper')
    await keepsState(t, page, () => site.edit('parts/child.tsx', '{word}', '{word}!'), '#child', 'child!')
    const more = () => site.edit('pages/index.tsx', 'word="child"', "word={'child ' + (clicks + 1)}")
    await keepsState(t, page, more, '#child', 'child 2!')
    t.strictSame(page.messages, [])
  })

  t.test('shows the line of an error', async (t) => {
    const { page, goto } = await site.tab()
    await goto(new URL('/fail', site.url).href, 'load')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('no luck').first().waitFor()
    t.match(await dialog.innerText(), 'pages/fail.tsx:8')
  })
})
