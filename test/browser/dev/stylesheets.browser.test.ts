/// <reference lib="dom" />

// `hydrant/styles` with the compilers and the recipes of docs/stylesheets.md: in development and built.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { BuildError } from '../../../scripts/build-problem.ts'
import { formatProblem } from '../../../scripts/terminal/format-error.ts'
import { readMarkdown } from '../../docs/code/code-block.ts'
import { installDocumentedPackages, linkDocumentedPackages } from '../../docs/code/documented-packages.ts'
import { createSite } from '../../scripts/create-site.ts'
import { buildSharing } from '../../shared-compression.ts'
import { type DevPage, LAYOUT, STATE, startDevSite } from './dev-site.ts'

await installDocumentedPackages()

/** The configurations of the document. */
const [, postcss = '', lightning = '', sass = ''] = readMarkdown('docs/stylesheets.md')
  .filter(({ path }) => path === 'hydrant.config.ts')
  .map(({ text }) => text)

// Text, because only the configurations of the document compile its stylesheets.
const SASS_SITE = {
  'hydrant.config.ts': sass,
  'pages/layout.tsx': LAYOUT,
  'pages/index.tsx': `import { State } from '../parts/state'
import styles from './card.module.scss'
import './index.scss'
import './plain.css'
export default function Page() {
  return <main><p id="plain">plain</p><p id="module" className={styles.card}>module</p><p id="imported">imported</p><State /></main>
}
`,
  'pages/index.scss': "@use '../parts/theme';\nmain { #plain { color: theme.$color } }\n",
  'pages/card.module.scss': "@use '../parts/theme';\n.card { color: theme.$color }\n",
  'pages/plain.css': '@import "../parts/imported.scss";\n',
  'parts/imported.scss': "@use 'theme';\n#imported { color: theme.$color }\n",
  'parts/_theme.scss': '$color: rgb(1, 0, 0);\n',
  'parts/state.tsx': STATE,
}

/** Builds a site. Returns its CSS, or the problems that the build reports. */
async function build(t: Test, files: Record<string, string>) {
  const dir = createSite(t, files)
  linkDocumentedPackages(dir)
  try {
    await buildSharing({ dir })
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    return { problems: error.problems.map(formatProblem).join('\n') }
  }
  const folder = join(dir, '.hydrant/client')
  const sheets = readdirSync(folder).filter((name) => name.endsWith('.css'))
  const server = readFileSync(join(dir, '.hydrant/server/index.mjs'), 'utf8')
  return { css: sheets.map((name) => readFileSync(join(folder, name), 'utf8')).join(''), server }
}

t.test('a build compiles Sass, also in CSS modules and in imports of CSS', async (t) => {
  const { css = '', server = '' } = await build(t, SASS_SITE)
  t.match(css, 'main #plain{color:#010000}')
  t.match(css, '#imported{color:#010000}')
  const [, name = 'no class'] = /\.(card_\w+){color:#010000}/.exec(css) ?? []
  t.match(server, `"${name}"`, 'the server has the same class')
  t.notMatch(server, 'rgb(1')
})

t.test('a build applies PostCSS and Lightning CSS, also to CSS modules', async (t) => {
  const files = {
    'pages/index.tsx':
      "import './index.css'\nimport styles from './a.module.css'\nexport default () => <p className={styles.a} />\n",
    'pages/index.css': '.plain { user-select: none }\n',
    'pages/a.module.css': '.a { user-select: none }\n',
  }
  for (const config of [postcss, lightning]) {
    const { css } = await build(t, { ...files, 'hydrant.config.ts': config })
    t.match(css, /\.plain{-webkit-user-select:none;user-select:none}/)
    t.match(css, /\.a_\w+{-webkit-user-select:none;user-select:none}/)
  }
})

t.test('an error of a compiler is reported at its line', async (t) => {
  const bad = { 'pages/index.tsx': "import './bad.css'\nexport default () => null\n" }
  t.match(
    (await build(t, { ...SASS_SITE, 'parts/_theme.scss': '$color: red;\n$other: $missing;\n' })).problems,
    /Undefined variable\.\n {2}at parts\/_theme\.scss:2:9\n/,
  )
  const module = { ...SASS_SITE, 'pages/card.module.scss': '.card {\n  color: $missing }\n' }
  t.match(
    (await build(t, module)).problems,
    /Undefined variable\.\n {2}at pages\/card\.module\.scss:2:10\n\n {2}2 \| {3}color: \$missing/,
  )
  t.match(
    (await build(t, { ...bad, 'hydrant.config.ts': postcss, 'pages/bad.css': 'a {}\nb {\n' })).problems,
    /Unclosed block\n {2}at pages\/bad\.css:2:1\n/,
  )
  t.match(
    (await build(t, { ...bad, 'hydrant.config.ts': lightning, 'pages/bad.css': 'a {}\nb & {]}\n' })).problems,
    /HYD_BUILD_SYNTAX[^\n]*\n {2}at pages\/bad\.css:2:/,
  )
})

t.test('wrong options are an error', async (t) => {
  const config = (options: string) =>
    `import { stylesheets } from 'hydrant/styles'\nexport default { esbuild: () => ({ plugins: [stylesheets(${options})] }) }\n`
  const problemsOf = async (options: string) => (await build(t, { 'hydrant.config.ts': config(options) })).problems
  t.match(await problemsOf("{ extensions: ['scss'], compile() {} }"), 'HYD_OPTION_INVALID] "extensions" must be a list')
  t.match(await problemsOf("{ extensions: ['.scss'] }"), 'HYD_OPTION_INVALID] "compile" must be a function')
})

t.test('hydrant dev shows edits of stylesheets and of the files that they use', async (t) => {
  const site = await startDevSite(t, SASS_SITE, { prepare: linkDocumentedPackages })
  const page = await site.open('/')
  const before = await page.use()
  await haveColor(page, 'rgb(1, 0, 0)')
  site.edit('parts/_theme.scss', '(1,', '(2,')
  await haveColor(page, 'rgb(2, 0, 0)')
  site.edit('pages/index.scss', 'theme.$color', 'rgb(3, 0, 0)')
  await hasColor(page, '#plain', 'rgb(3, 0, 0)')
  site.edit('pages/card.module.scss', 'theme.$color', 'rgb(3, 0, 0)')
  await hasColor(page, '#module', 'rgb(3, 0, 0)')
  site.edit('parts/_theme.scss', ';', '')
  site.edit('parts/_theme.scss', '$color: rgb(2, 0, 0)', '$color: rgb(2, 0, 0')
  const dialog = page.page.getByRole('dialog')
  await dialog.getByText('HYD_BUILD_SYNTAX').first().waitFor()
  t.match(await dialog.innerText(), 'parts/_theme.scss:1')
  site.edit('parts/_theme.scss', '(2, 0, 0', '(4, 0, 0);')
  await hasColor(page, '#imported', 'rgb(4, 0, 0)')
  await dialog.waitFor({ state: 'hidden' })
  t.strictSame(await page.state(), before)
  t.strictSame(page.messages, [])
})

async function haveColor(page: DevPage, color: string) {
  for (const selector of ['#plain', '#module', '#imported']) await hasColor(page, selector, color)
}

/** Resolves when an element has a color. */
function hasColor(page: DevPage, selector: string, color: string) {
  return page.becomes(isColored, { selector, color })
}

function isColored({ selector, color }: { selector: string; color: string }): boolean {
  const element = document.querySelector(selector)
  return element !== null && getComputedStyle(element).color === color
}
