import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { version } from 'react'
import t, { type Test } from 'tap'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'

const moduleOf = (name: string, code: string) => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({
    name,
    type: 'module',
    exports: { '.': './index.js', './*': './*' },
  }),
  [`node_modules/${name}/index.js`]: code,
})

async function build(t: Test, files: Record<string, string>, links: Record<string, string> = {}, below = '.') {
  const dir = createSite(t, files, below)
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    symlinkSync(resolve(dir, target), join(dir, path))
  }
  const { folder, manifest } = await buildSharing({ dir })
  const code = readFileSync(join(folder, 'server', 'index.mjs'), 'utf8')
  const { modules } = await import(pathToFileURL(join(folder, 'server', 'index.mjs')).href)
  const client = readdirSync(join(folder, 'client'))
    .filter((name) => /\.(js|css)$/.test(name))
    .map((name) => readFileSync(join(folder, 'client', name), 'utf8'))
    .join('\n')
  return {
    code,
    manifest,
    client,
    load: () => modules['pages/index.server.ts'].load(),
    page: modules['pages/index.tsx'].default,
  }
}

t.test('leaves packages to Node on the server and bundles them for the browser', async (t) => {
  const { code, client, load } = await build(t, {
    ...moduleOf('colors', "export const red = 'PACKAGE-RED'\n"),
    'pages/index.tsx': "import { red } from 'colors'\nexport default () => red\n",
    'pages/index.server.ts':
      "import { red } from 'colors'\nimport { sep } from 'node:path'\nexport const load = () => red + sep\n",
  })
  t.match(code, 'from "colors"')
  t.notMatch(code, 'PACKAGE-RED')
  t.match(client, 'PACKAGE-RED')
  t.equal(load(), 'PACKAGE-RED/')
})

t.test(
  'loads a package behind an import() when it is needed, for example one that only browsers can load',
  async (t) => {
    const started = "globalThis.started.push(import.meta.url.split('/').at(-2))\n"
    Object.assign(globalThis, { started: [] })
    const { load } = await build(t, {
      ...moduleOf('map', `${started}export default 'default'\nexport const size = window.innerWidth\n`),
      ...moduleOf('shapes', `${started}export const circle = (size) => 'circle ' + size\nexport const square = 1\n`),
      ...moduleOf('effect', `${started}`),
      ...moduleOf('both', `${started}export const both = 'both'\n`),
      ...moduleOf('value', `${started}export const value = 'value'\n`),
      'parts/late.ts':
        "import * as shapes from 'shapes'\nimport map, { size } from 'map'\nimport { both } from 'both'\nexport default () => [shapes.circle(2), map, size, both]\n",
      'parts/effect.ts': "import 'effect'\nimport * as value from 'value'\nexport default () => Object.keys(value)\n",
      'pages/index.server.ts':
        "import { both } from 'both'\nexport const load = async () => [both, (await import('../parts/effect')).default(), (await import('../parts/late')).default()]\n",
    })
    const { started: names } = globalThis as unknown as { started: string[] }
    // The names of a namespace that is a value are not known.
    t.strictSame(names.splice(0).sort(), ['both', 'value'])
    await t.rejects(load(), { message: 'window is not defined' })
    t.strictSame(names.splice(0), ['effect', 'shapes', 'map'])
    await t.rejects(load(), { message: 'window is not defined' }, 'it has failed for good')
  },
)

t.test('imports such packages at the start if a module is required, which cannot wait', async (t) => {
  const { load } = await build(t, {
    ...moduleOf('colors', "export const red = 'red'\n"),
    'parts/late.ts': "export const later = () => require('./needs').named\n",
    'parts/needs.ts': "import { red } from 'colors'\nexport const named = 'named ' + red\n",
    'pages/index.server.ts': "export const load = async () => (await import('../parts/late')).later()\n",
  })
  t.equal(await load(), 'named red')
})

t.test('warns about names that a module of Node.js does not export', async (t) => {
  const dir = createSite(t, {
    'pages/index.server.ts':
      "import { readFileSnc, readFileSync } from 'node:fs'\nimport os, { hostname } from 'os'\nexport const load = () => [readFileSnc, readFileSync, os, hostname]\n",
  })
  const { warnings } = await buildSharing({ dir })
  t.match(warnings, [
    {
      code: 'HYD_BUILD_IMPORT_NAME',
      message: '"node:fs" has no export "readFileSnc"; did you mean "readFileSync"?',
      location: { file: 'pages/index.server.ts', line: 1, column: 10 },
    },
  ])
  t.equal(warnings.length, 1)
})

t.test('bundles stylesheets and assets of packages', async (t) => {
  const { code, client, page } = await build(t, {
    ...moduleOf('theme', 'export {}\n'),
    'node_modules/theme/theme.css': '.themed { color: red }',
    'node_modules/theme/box.module.css': '.box { color: blue }',
    'node_modules/theme/logo.svg': '<svg/>',
    'pages/index.tsx':
      "import 'theme/theme.css'\nimport s from 'theme/box.module.css'\nimport logo from 'theme/logo.svg'\nexport default () => [s.box, logo]\n",
  })
  t.notMatch(code, 'from "theme')
  t.match(client, '.themed')
  const [box, logo] = page()
  t.match(client, `.${box}{`)
  t.match(logo, /^\/_hydrant\/assets\/logo-[A-Z2-7]{8}\.svg$/)
})

t.test(
  'completes the paths of files in a package without exports, and bundles what only a bundler can load',
  async (t) => {
    const { code, client, load } = await build(t, {
      'node_modules/parts/package.json': '{ "name": "parts", "main": "main.js", "module": "esm/index.js" }',
      'node_modules/parts/main.js': "exports.main = 'main'\n",
      'node_modules/parts/plugin/utc.js': "exports.utc = 'utc'\n",
      'node_modules/parts/plugin/zone/index.js': "exports.zone = 'zone'\n",
      'node_modules/parts/esm/index.js': "export { main } from './main'\nexport { dark } from './themes'\n",
      'node_modules/parts/esm/main.js': "export const main = 'main'\n",
      'node_modules/parts/esm/themes/index.js': "export { dark } from './dark'\n",
      'node_modules/parts/esm/themes/dark.js': "export const dark = 'DARK'\n",
      'node_modules/font/package.json': '{ "name": "font", "main": "index.css" }',
      'node_modules/font/index.css': '@font-face { font-family: Parts; src: url(https://fonts.invalid/parts) }\n',
      'node_modules/slides/package.json': '{ "name": "slides", "exports": { "./css": "./slides.css" } }',
      'node_modules/icons/package.json': '{ "name": "icons", "exports": { "./fa": "./fa/index.js" } }',
      'node_modules/icons/fa/package.json': '{ "sideEffects": false }',
      'node_modules/icons/fa/index.js': "exports.beer = 'beer'\n",
      'node_modules/slides/slides.css': '.slides { order: 7 }\n',
      'pages/index.tsx': `import 'font'
import 'slides/css'
import { main } from 'parts'
import { dark } from 'parts/esm/themes'
import { utc } from 'parts/plugin/utc'
export default () => [main, dark, utc].join()
`,
      'pages/index.server.ts': `import { dark } from 'parts/esm/themes'
import { utc } from 'parts/plugin/utc'
import { beer } from 'icons/fa'
import { zone } from 'parts/plugin/zone'
export const load = () => [dark, utc, zone, beer].join()
`,
    })
    t.match(code, 'from "parts/plugin/utc.js"')
    t.match(code, 'from "parts/plugin/zone/index.js"')
    t.match(code, 'from "parts"')
    t.equal(load(), 'DARK,utc,zone,beer')
    t.match(client, 'font-family:Parts')
    t.match(client, 'order:7')
  },
)

t.test('follows an alias to a package and to a file, on both sides', async (t) => {
  const { code, client, load, page } = await build(t, {
    ...moduleOf('colors', "export const red = 'PACKAGE-RED'\n"),
    'hydrant.config.ts': "export default { esbuild: { alias: { paint: 'colors', '@lib': './lib' } } }\n",
    'lib/sum.ts': 'export const sum: number = 1 + 1\n',
    'pages/index.tsx': "import { red } from 'paint'\nimport { sum } from '@lib/sum'\nexport default () => red + sum\n",
    'pages/index.server.ts':
      "import { red } from 'paint'\nimport { sum } from '@lib/sum.ts'\nexport const load = () => red + sum\n",
  })
  t.match(code, 'from "colors"')
  t.notMatch(code, 'from "paint"')
  t.match(client, 'PACKAGE-RED')
  t.equal(load(), 'PACKAGE-RED2')
  t.equal(page(), 'PACKAGE-RED2')
})

t.test('follows the paths of tsconfig.json', async (t) => {
  const { page } = await build(t, {
    'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./*"] }, "jsx": "preserve" } }',
    'components/card.tsx': "export const card = 'a card'\n",
    'pages/index.tsx': "import { card } from '@/components/card'\nexport default () => card\n",
  })
  t.equal(page(), 'a card')
})

t.test('bundles the TypeScript of a linked package, with packages that are installed only there', async (t) => {
  const { code, load } = await build(
    t,
    {
      ...moduleOf('deep', "export const deep = 'DEEP'\n"),
      'packages/ui/package.json':
        '{ "name": "ui", "type": "module", "exports": { ".": "./index.ts", "./plain": "./plain.js" } }',
      'packages/ui/index.ts': "import { deep } from 'only-here'\nexport const ui: string = 'UI ' + deep\n",
      'packages/ui/plain.js': "export const plain = 'PLAIN'\n",
      'packages/ui/node_modules/only-here/package.json':
        '{ "name": "only-here", "type": "module", "exports": "./index.js" }',
      'packages/ui/node_modules/only-here/index.js': "export const deep = 'ONLY-HERE'\n",
      'pages/index.server.ts':
        "import { ui } from 'ui'\nimport { plain } from 'ui/plain'\nexport const load = () => ui + ' ' + plain\n",
    },
    { 'node_modules/ui': 'packages/ui' },
  )
  t.equal(load(), 'UI ONLY-HERE PLAIN')
  t.match(code, 'from "ui/plain"')
})

t.test('gives a linked package the versions that it has installed, and the site’s React and peers', async (t) => {
  const { code, load } = await build(
    t,
    {
      ...moduleOf('parser', "export const parser = 'PARSER-1'\n"),
      ...moduleOf('peer', "export const peer = 'PEER'\n"),
      '../packages/ui/package.json': '{ "name": "ui", "type": "module", "exports": "./index.ts" }',
      '../packages/ui/index.ts':
        "import { version } from 'react'\nimport { parser } from 'parser'\nimport { peer } from 'peer'\nexport const ui: string = [parser, peer, version].join()\n",
      '../packages/ui/node_modules/parser/package.json':
        '{ "name": "parser", "type": "module", "exports": "./index.js" }',
      '../packages/ui/node_modules/parser/index.js': "export const parser = 'PARSER-2'\n",
      '../packages/ui/node_modules/react/package.json': '{ "name": "react", "main": "index.js" }',
      '../packages/ui/node_modules/react/index.js': "exports.version = 'OTHER-REACT'\n",
      'pages/index.server.ts':
        "import { ui } from 'ui'\nimport { parser } from 'parser'\nexport const load = () => parser + ',' + ui\n",
    },
    { 'node_modules/ui': '../packages/ui' },
    'site',
  )
  t.equal(load(), `PARSER-1,PARSER-2,PEER,${version}`)
  t.match(code, 'from "peer"')
})

t.test('names the import of a linked package without its file', async (t) => {
  const files = {
    'packages/ui/package.json': '{ "name": "ui", "type": "module", "exports": "./dist/index.js" }',
    'pages/index.tsx': "import { ui } from 'ui'\nexport default () => ui\n",
  }
  const error = await build(t, files, { 'node_modules/ui': 'packages/ui' }).catch((thrown: unknown) => thrown)
  t.match(error, { problems: [{ code: 'HYD_BUILD_UNRESOLVED', location: { file: 'pages/index.tsx', line: 1 } }] })
})

t.test('runs the site’s plugins, loaders and definitions on both sides, before its own', async (t) => {
  const plugin = `const plugin = {
    name: 'upper',
    setup(build) {
      build.onLoad({ filter: /\\.shout$/ }, () => ({ contents: 'export default "LOUD"' }))
      build.onLoad({ filter: /logo\\.svg$/ }, () => ({ contents: 'export default "INLINE"' }))
    },
  }`
  const { client, page } = await build(t, {
    'hydrant.config.ts': `${plugin}\nexport default { esbuild: async () => ({ plugins: [plugin], loader: { '.glsl': 'text', '.txt': 'text', '.bin': 'file' }, define: { VERSION: '"9.9"' } }) }\n`,
    'pages/a.shout': '',
    'pages/logo.svg': '<svg/>',
    'pages/x.glsl': 'void main',
    'pages/x.txt': 'plain text',
    'pages/x.bin': 'binary',
    'pages/index.tsx':
      "import a from './a.shout'\nimport b from './logo.svg'\nimport c from './x.glsl'\nimport d from './x.txt'\nimport e from './x.bin'\nexport default () => [a, b, c, d, e, VERSION].join(' ')\n",
  })
  t.match(page(), /^LOUD INLINE void main plain text \/_hydrant\/assets\/x-[A-Z2-7]{8}\.bin 9\.9$/)
  t.match(client, 'LOUD')
})

t.test('keeps stylesheets if package.json has no side effects', async (t) => {
  const { client } = await build(t, {
    'package.json': '{ "name": "a-site", "type": "module", "sideEffects": false }',
    'pages/all.css': '.all { color: red }',
    'pages/index.tsx': "import './all.css'\nexport default () => null\n",
  })
  t.match(client, '.all')
})

t.test('uses one copy of React, the site’s', async (t) => {
  const { client } = await build(t, {
    'node_modules/widget/package.json': '{ "name": "widget", "type": "module", "exports": "./index.js" }',
    'node_modules/widget/index.js': "import { useState } from 'react'\nexport const useWidget = () => useState(0)\n",
    'node_modules/widget/node_modules/react/package.json': '{ "name": "react", "main": "index.js" }',
    'node_modules/widget/node_modules/react/index.js': "exports.useState = () => 'OTHER-REACT'\n",
    'pages/index.tsx': "import { useWidget } from 'widget'\nexport default () => useWidget()\n",
  })
  t.notMatch(client, 'OTHER-REACT')
})
