// The packages that the pages of `test/apps/modules` import.

import { writeFiles } from '../server/served.ts'

export const manifest = (name: string, fields: object) => JSON.stringify({ name, version: '1.0.0', ...fields })

const PACKAGES: Record<string, string> = {
  'package.json': manifest('site', { type: 'module' }),
  'tsconfig.json': JSON.stringify({ compilerOptions: { paths: { '@parts/*': ['./parts/*'] } } }),
  'node_modules/plain-cjs/package.json': manifest('plain-cjs', { main: 'index.js' }),
  'node_modules/plain-cjs/index.js': "exports.named = 'cjs named'\nexports.other = 'cjs other'\n",
  'node_modules/function-cjs/package.json': manifest('function-cjs', { main: 'index.js' }),
  'node_modules/function-cjs/index.js': "module.exports = () => 'cjs function'\n",
  'node_modules/marked-cjs/package.json': manifest('marked-cjs', { main: 'index.js' }),
  'node_modules/marked-cjs/index.js':
    "Object.defineProperty(exports, '__esModule', { value: true })\nexports.default = 'marked default'\nexports.named = 'marked named'\n",
  'node_modules/plain-esm/package.json': manifest('plain-esm', {
    type: 'module',
    exports: { '.': './index.js', './sub': './sub.js', './shared': './shared.js' },
  }),
  'node_modules/plain-esm/index.js':
    "export const named = 'esm named'\nexport const second = 'esm second'\nexport default 'esm default'\n",
  'node_modules/plain-esm/sub.js': "export const sub = 'esm sub'\n",
  'node_modules/plain-esm/shared.js': "export { named as shared } from './index.js'\n",
  'node_modules/starred-esm/package.json': manifest('starred-esm', { type: 'module', main: 'index.js' }),
  'node_modules/starred-esm/index.js':
    "export const starred = 'starred'\nexport let count = 0\nexport const add = () => ++count\n",
  'node_modules/waiting-esm/package.json': manifest('waiting-esm', { type: 'module', main: 'index.js' }),
  'node_modules/waiting-esm/index.js': "export const waited = await Promise.resolve('waited')\n",
  'node_modules/marking-jsx/package.json': manifest('marking-jsx', {
    type: 'module',
    exports: { './jsx-runtime': './jsx-runtime.js' },
  }),
  'node_modules/marking-jsx/jsx-runtime.js': `import { Fragment, jsx as createOne, jsxs as createMany } from 'react/jsx-runtime'
export { Fragment }
const mark = (create) => (type, props, key) => create(type, { ...props, 'data-marked': 'marked' }, key)
export const jsx = mark(createOne)
export const jsxs = mark(createMany)
`,
  'node_modules/empty-browser/package.json': manifest('empty-browser', { main: 'index.js', browser: 'empty.js' }),
  'node_modules/empty-browser/index.js': 'module.exports = {}\n',
  'node_modules/empty-browser/empty.js': '// Nothing\n',
  'node_modules/late-esm/package.json': manifest('late-esm', { type: 'module', main: 'index.js' }),
  'node_modules/late-esm/index.js': "export const late = 'late package'\n",
  'node_modules/styled-esm/package.json': manifest('styled-esm', { type: 'module', main: 'index.js' }),
  'node_modules/styled-esm/index.js': "export const styled = 'styled'\n",
  'node_modules/styled-esm/style.css':
    '@font-face { font-family: F; src: url(f.woff2) }\n#styled { color: rgb(1, 2, 3) }\n',
  'node_modules/styled-esm/f.woff2': 'font',
  'node_modules/dual/package.json': manifest('dual', { exports: { import: './index.mjs', require: './index.cjs' } }),
  'node_modules/dual/index.mjs': "export const found = []\nexport default () => 'dual esm'\n",
  'node_modules/dual/index.cjs':
    "Object.defineProperty(exports, '__esModule', { value: true })\nexports.found = []\nexports.default = () => 'dual cjs'\n",
  'node_modules/import-only/package.json': manifest('import-only', { exports: { import: './index.mjs' } }),
  'node_modules/import-only/index.mjs':
    "import { found } from 'dual'\nexport const isSame = (other) => found === other\n",

  // Packages whose scripts import stylesheets, as ES modules and as CommonJS, with packages of their own. A package that
  // is a stylesheet. A package whose modules only `require` or a bundler finds.
  'node_modules/styled-outer/package.json': manifest('styled-outer', { type: 'module', exports: './index.js' }),
  'node_modules/styled-outer/index.js': `import { createElement, useState } from 'react'
import { Inner } from 'styled-inner'
import { version } from 'versioned'
export function Outer() {
  const [count, setCount] = useState(0)
  const onClick = () => setCount(count + 1)
  return createElement('button', { id: 'outer', onClick }, 'outer ', version, ' ', count, createElement(Inner))
}
`,
  'node_modules/styled-outer/node_modules/versioned/package.json': manifest('versioned', { main: 'index.js' }),
  'node_modules/styled-outer/node_modules/versioned/index.js': "exports.version = 'own version'\n",
  'node_modules/versioned/package.json': manifest('versioned', { main: 'index.js' }),
  'node_modules/versioned/index.js': "exports.version = 'version of the site'\n",
  'node_modules/styled-inner/package.json': manifest('styled-inner', { main: 'index.js' }),
  'node_modules/styled-inner/index.js': `const { createElement, useId } = require('react')
const { sep } = require('path-of-page')
require('./inner.css')
exports.Inner = function Inner() {
  return createElement('b', { id: 'inner', title: typeof useId() }, 'inner', sep)
}
`,
  'node_modules/styled-inner/inner.css': '#inner { color: rgb(1, 2, 3) }\n',
  'node_modules/path-of-page/package.json': manifest('path-of-page', { main: 'index.js' }),
  'node_modules/path-of-page/index.js': "exports.sep = '/'\n",
  'node_modules/sheet/package.json': manifest('sheet', { main: 'index.css' }),
  'node_modules/sheet/index.css': '#parts { color: rgb(4, 5, 6) }\n',
  'node_modules/parts/package.json': manifest('parts', { main: 'index.js' }),
  'node_modules/parts/plugin/utc.js': "exports.utc = 'utc'\n",
  'node_modules/parts/themes/index.js': "export { dark } from './dark'\n",
  'node_modules/parts/themes/dark.js': "export const dark = 'dark'\n",
}

/** Writes the packages, and the files of the site that only a copy of it has. */
export const writePackages = (dir: string) => writeFiles(dir, PACKAGES)
