/// <reference lib="dom" />

// Pages in MDX, as docs/mdx.md describes them, with the real compiler: in development and built.

import { createServer } from 'hydrant'
import t from 'tap'
import { BuildError } from '../../../scripts/build-problem.ts'
import { formatProblem } from '../../../scripts/terminal/format-error.ts'
import { installDocumentedPackages, linkDocumentedPackages } from '../../docs/code/documented-packages.ts'
import { createSite } from '../../scripts/create-site.ts'
import { buildSharing } from '../../shared-compression.ts'
import { keepsState, LAYOUT, STATE, startDevSite } from './dev-site.ts'

// Text, because MDX has no types, and other sites do not have its compiler.
const FILES = {
  'hydrant.config.ts': `export default {
  esbuild: async () => {
    const { default: mdx } = await import('@mdx-js/esbuild')
    const { default: readFrontmatter } = await import('remark-frontmatter')
    const { default: exportFrontmatter } = await import('remark-mdx-frontmatter')
    return {
      plugins: [mdx({ providerImportSource: 'mdx-components', remarkPlugins: [readFrontmatter, exportFrontmatter] })],
      alias: { 'mdx-components': './parts/mdx-components.tsx' },
    }
  },
}
`,
  'pages/layout.tsx': LAYOUT,
  'pages/docs/layout.mdx': 'Chapter\n\n<article>{props.children}</article>\n',
  'pages/docs/intro.mdx': `---
title: Introduction
---
import { State } from '../../parts/state.tsx'
import { Fails } from '../../parts/fails.mdx'

<title>{frontmatter.title}</title>

<b id="named">{frontmatter.title}</b>

# Hello

Version **{props.data.version}**

<State />

<Fails name={props.url.searchParams.get('name')} />
`,
  'pages/docs/intro.server.ts': "export const load = () => ({ version: '1.2' })\n",
  'pages/secret/layout.mdx': '{props.children}\n',
  'pages/secret/layout.server.ts': `import { HttpError } from 'hydrant'
export function guard() {
  throw new HttpError(403, 'Members only.')
}
`,
  'pages/missing.mdx': '# Title\n\n<Missing />\n',
  'pages/not-found.mdx': '# Nothing here\n',
  'pages/[slug].mdx': '# Slug {props.params.slug}\n',
  'parts/state.tsx': STATE,
  'parts/fails.mdx': `export function Fails({ name }) {
  if (name === (typeof window === 'undefined' ? 'server' : 'browser')) {
    throw new Error('no luck')
  }
  return null
}
`,
  'parts/mdx-components.tsx': `export function useMDXComponents() {
  return { h1: (props) => <h1 id="heading" {...props} /> }
}
`,
}

await installDocumentedPackages()
const built = createSite(t, FILES)
linkDocumentedPackages(built)

t.test('a built site has pages, layouts and error pages in MDX', async (t) => {
  await buildSharing({ dir: built })
  const lines: string[] = []
  const stream = { write: (line: string) => lines.push(line) }
  const app = await createServer({ dir: built, ledger: false, logger: { stream } })
  t.teardown(() => app.close())
  const read = async (url: string) => {
    const { statusCode, body } = await app.inject({ url, headers: { accept: 'text/html' } })
    return { statusCode, text: body.replace(/<script.*?<\/script>|<[^>]*>/g, ' ').replace(/\s+/g, ' ') }
  }
  t.match(await read('/docs/intro'), {
    statusCode: 200,
    text: / Introduction .*Chapter Introduction Hello Version 1\.2 /,
  })
  t.match(await read('/other'), { statusCode: 200, text: / Slug other / })
  t.match(await read('/no/page'), { statusCode: 404, text: / Nothing here / })
  t.equal((await read('/secret/unknown')).statusCode, 403, 'the guard of a layout in MDX')
  t.equal((await read('/docs/intro?name=server')).statusCode, 500)
  t.match(JSON.parse(lines.at(-1) ?? '{}').err.stack, 'at Fails (parts/fails.mdx:3:')
  t.equal((await read('/missing')).statusCode, 500)
  t.match(JSON.parse(lines.at(-1) ?? '{}').err.stack, /at _createMdxContent\d* \(pages\/missing\.mdx:3:1\)/)
})

t.test('an error in MDX is reported at its line', async (t) => {
  const errorsOf = async (source: string, more: Record<string, string> = {}) => {
    const dir = createSite(t, { ...FILES, 'pages/bad.mdx': source, ...more })
    linkDocumentedPackages(dir)
    const error: unknown = await buildSharing({ dir }).catch((error: unknown) => error)
    return error instanceof BuildError ? error.problems.map(formatProblem) : [error]
  }
  t.match(await errorsOf('# Title\n\nA {\n'), [
    /^Error \[HYD_BUILD_SYNTAX\][\s\S]*at pages\/bad\.mdx:3:4\n\n {2}3 \| A \{\n/,
  ])
  t.match(await errorsOf("# Title\n\n\nimport { x } from './none'\n"), [
    /^Error \[HYD_BUILD_UNRESOLVED\] cannot find "\.\/none"\n {2}at pages\/bad\.mdx:4:19\n/,
  ])
  t.match(await errorsOf("# Title\n\nimport { load } from './docs/intro.server'\n\n{load}\n"), [
    /^Error \[HYD_BUILD_SERVER_IN_BROWSER\][\s\S]*\n {2}at pages\/bad\.mdx:3:22\n/,
  ])
  const missing = await errorsOf('# Title\n', { 'hydrant.config.ts': 'export default {}\n' })
  t.match(missing[0], /^Error \[HYD_BUILD_MDX\] no plugin in hydrant\.config\.ts compiles pages\/\[slug\]\.mdx\n/)
  t.equal(missing.length, 7)
  const throwing =
    "export default { esbuild: { plugins: [{ name: 'own', setup(build) { build.onLoad({ filter: /mdx$/ }, () => { throw new Error('no luck') }) } }] } }\n"
  t.match(
    (await errorsOf('# Title\n', { 'hydrant.config.ts': throwing }))[0],
    /^Error \[HYD_BUILD_PLUGIN\][\s\S]*at pages\/\[slug\]\.mdx\n/,
  )
})

t.test('an export that has no effect in a page is reported at its line', async (t) => {
  const dir = createSite(t, {
    'hydrant.config.ts': FILES['hydrant.config.ts'],
    'parts/mdx-components.tsx': FILES['parts/mdx-components.tsx'],
    'pages/a.mdx': `---
export const load: a text of the frontmatter
---
export const size = 1, loader = () => {

  return <b>{size}</b>

}

# Title

~~~js
export const action = 1
~~~

A line.
export const load = 1
`,
    'pages/b.mdx': '# Title\n\nText\n\nexport { load as actions } from "../parts/load.ts"\n',
    'pages/b.server.ts': 'export const load = () => 1\n',
    'parts/load.ts': 'export const load = 1\n',
    'pages/c/layout.mdx': 'export const beforeLoad = 1\n\n{props.children}\n',
    'pages/c/index.mdx':
      'export default function Frame({ children }) {\n  return children\n}\n\nexport function load() {}\n',
  })
  linkDocumentedPackages(dir)
  const { warnings } = await buildSharing({ dir })
  t.strictSame(
    warnings.map(({ message, location }) => `${location?.line}:${location?.column} ${message}`),
    [
      '4:24 pages/a.mdx exports "loader", which has no effect there; did you mean "load" in pages/a.server.ts?',
      '5:10 pages/b.mdx exports "actions", which has no effect there; did you mean "actions" in pages/b.server.ts?',
      '5:17 pages/c/index.mdx exports "load", which has no effect there; did you mean "load" in pages/c/index.server.ts?',
      '1:14 pages/c/layout.mdx exports "beforeLoad", which has no effect there; did you mean "guard" in pages/c/layout.server.ts?',
    ],
  )
})

t.test('hydrant dev', async (t) => {
  // Its pages have titles of their own.
  const layout = LAYOUT.replace('<title>Site</title>', '')
  const site = await startDevSite(t, { ...FILES, 'pages/layout.tsx': layout }, { prepare: linkDocumentedPackages })

  t.test('shows edits and keeps the state of components', async (t) => {
    const page = await site.open('/docs/intro')
    await page.says('#heading', 'Hello')
    await keepsState(
      t,
      page,
      () => site.edit('pages/docs/intro.mdx', '# Hello', '# Hello again'),
      '#heading',
      'Hello again',
    )
    await keepsState(t, page, () => site.edit('pages/docs/intro.server.ts', '1.2', '1.3'), 'article strong', '1.3')
    await keepsState(t, page, () => site.edit('pages/docs/layout.mdx', 'Chapter', 'Part'), 'body > p', 'Part')
    await keepsState(
      t,
      page,
      () => site.edit('parts/mdx-components.tsx', '"heading"', '"title"'),
      '#title',
      'Hello again',
    )
    await keepsState(t, page, () => site.edit('pages/docs/intro.mdx', ': Introduction', ': Start'), '#named', 'Start')
    t.strictSame(page.messages, [])
  })

  t.test('shows an error at its line, and goes on after it', async (t) => {
    const page = await site.open('/docs/intro')
    site.edit('pages/docs/intro.mdx', '<State />', '<State')
    const dialog = page.page.getByRole('dialog')
    await dialog.getByText('HYD_BUILD_SYNTAX').waitFor()
    t.match(await dialog.innerText(), 'pages/docs/intro.mdx:17:1')
    site.edit('pages/docs/intro.mdx', '<State', '<State />')
    await dialog.waitFor({ state: 'detached' })
  })

  t.test('shows the line of an error in the browser', async (t) => {
    const { page, goto } = await site.tab()
    await goto(new URL('/docs/intro?name=browser', site.url).href, 'load')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('no luck').first().waitFor()
    t.match(await dialog.innerText(), 'parts/fails.mdx:3')
  })

  t.test('serves a new page', async (t) => {
    site.write('pages/docs/new.mdx', 'export const load = 1\n\n# New\n')
    const page = await site.open('/docs/new')
    await page.says('h1', 'New')
    await site.dev.waitFor(/^Warning \[HYD_BUILD_PAGE_EXPORT\] pages\/docs\/new\.mdx exports "load"/)
    t.pass('the page and the warning are there')
  })
})
