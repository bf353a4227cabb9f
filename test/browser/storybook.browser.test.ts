/// <reference lib="dom" />

// Renders the story of docs/storybook.md as Storybook does: with React, and without Hydrant.

import { build } from 'esbuild'
import t from 'tap'
import { readMarkdown } from '../docs/code/code-block.ts'
import { givenSite } from '../docs/code/given-files.ts'
import { createSite } from '../scripts/create-site.ts'
import { launchChromium } from './chromium.ts'

const RENDER = `import { prefetch, refresh } from 'hydrant/react'
import { createElement, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import preview from './.storybook/preview.tsx'
import meta, { Plain } from './components/like.stories.tsx'

const story = () => createElement(meta.component, Plain.args)
const decorated = preview.decorators.reduce((Story, decorate) => () => decorate(Story), story)
createRoot(document.querySelector('#root')).render(createElement(StrictMode, null, createElement(decorated)))
Object.assign(globalThis, { prefetch, refresh })
`

const blocks = readMarkdown('docs/storybook.md').filter(({ path }) => path.endsWith('.tsx'))
const shown = Object.fromEntries(blocks.map(({ path, text }) => [path, text]))
const dir = createSite(t, { ...givenSite, ...shown, 'render.tsx': RENDER })

t.test('the configuration names the installed framework, and finds the story', async (t) => {
  const all = readMarkdown('docs/storybook.md')
  const code = all.find(({ path }) => path === '.storybook/main.js')?.text ?? ''
  const { default: config } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  const [, installed = ''] = all.flatMap(({ text }) => /npm install --save-dev (.*)/.exec(text) ?? [])
  t.ok(installed.split(' ').includes(config.framework))
  const [pattern = ''] = config.stories as string[]
  const story = Object.keys(shown).find((path) => path.includes('.stories.'))
  const expression = pattern.replaceAll('.', '\\.').replace('**/', '(?:.+/)?').replace('*', '[^/]+')
  t.match(`../${story}`, new RegExp(`^${expression}$`))
  const vite = all.find(({ path }) => path === 'vite.config.js')?.text ?? ''
  const { default: options } = await import(`data:text/javascript,${encodeURIComponent(vite)}`)
  t.strictSame(options, { optimizeDeps: { include: ['react'] } })
})

t.test('a story renders with the hooks of Hydrant, and forms and links do not leave it', async (t) => {
  const { outputFiles } = await build({
    absWorkingDir: dir,
    entryPoints: ['render.tsx'],
    outdir: dir,
    bundle: true,
    write: false,
    jsx: 'automatic',
    // The files that the published package has.
    conditions: ['hydrant-bundle'],
    define: { 'process.env.NODE_ENV': '"development"' },
  })
  const script = outputFiles.find(({ path }) => path.endsWith('.js'))?.text ?? ''
  const { page, errors } = await (await launchChromium(t)).open({}, t)
  const requests: string[] = []
  await page.setContent('<div id="root"></div>')
  page.on('request', (request) => requests.push(request.url()))
  await page.addScriptTag({ content: script })
  const root = page.locator('#root')
  await root.getByRole('button').click()
  await root.getByRole('link').click()
  t.match(
    await root.innerHTML(),
    /<form class="\w+" method="post"><a href="\/search">Assam<\/a>.*<output>idle<\/output>/,
  )
  t.equal(await page.evaluate("prefetch('/search')"), undefined)
  t.match(await page.evaluate('refresh().catch(String)'), /^Error: refresh\(\) may be called only in/)
  t.strictSame(requests, [])
  t.strictSame(errors, [])
})
