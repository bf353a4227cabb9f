// Packages whose scripts import stylesheets, as ES modules and as CommonJS, with packages of their own. A package that is
// a stylesheet. A package whose modules only `require` or a bundler finds.

const manifest = (name: string, fields: object) => JSON.stringify({ name, version: '1.0.0', ...fields })

export const STYLED_PACKAGES: Record<string, string> = {
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

export const STYLED_PAGE = `import { Outer } from 'styled-outer'
import { utc } from 'parts/plugin/utc'
import { dark } from 'parts/themes'
import 'sheet'
import { version } from 'versioned'
export default function Styled() {
  return <main><Outer /><p id="version">{version}</p><p id="parts">{[utc, dark].join()}</p></main>
}
`
