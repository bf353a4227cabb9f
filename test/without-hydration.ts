import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'

const { resolve } = createRequire(import.meta.url)
const MANIFEST = resolve('react-dom/package.json')
// The file of the manifest is React's own.
const { version } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { version: string }

/**
 * A package of a site that only HTTP clients request. It is the installed one without the code that hydrates, which
 * takes 0.13 s of CPU time in each build: esbuild bundles and minifies it, and the build parses it.
 */
export const WITHOUT_HYDRATION = {
  'node_modules/react-dom/package.json': JSON.stringify({ name: 'react-dom', version }),
  'node_modules/react-dom/index.js': `module.exports = require(${JSON.stringify(dirname(MANIFEST))})\n`,
  'node_modules/react-dom/client.js': `exports.hydrateRoot = () => {
  throw new Error('This site cannot hydrate a page: build it with buildForBrowser.')
}
`,
}
