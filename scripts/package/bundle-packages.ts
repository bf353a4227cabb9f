// Bundles packages for the published package, with the licenses of all packages in each bundle. As dependencies they
// would bring 29 packages into each site, 14 of them by pino-pretty. Runs in the repository's folder, after the
// compiler.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/** The packages, and the format of each: its own, or that of `require`. */
const PACKAGES = {
  chokidar: 'esm',
  'cjs-module-lexer': 'cjs',
  'hast-util-from-html': 'esm',
  'hast-util-to-mdast': 'esm',
  'image-size': 'esm',
  'launch-editor': 'cjs',
  'mdast-util-gfm': 'esm',
  'mdast-util-to-markdown': 'esm',
  'pino-pretty': 'cjs',
  'prom-client': 'cjs',
  'react-refresh': 'cjs',
  'string-width': 'cjs',
} as const

/** The modules of packages that have more than one. */
const ENTRIES: Record<string, string> = { 'react-refresh': 'react-refresh/runtime' }

for (const [name, format] of Object.entries(PACKAGES)) {
  const file = `dist/vendor/${name}.${format === 'esm' ? 'mjs' : 'cjs'}`
  const { metafile } = await build({
    entryPoints: [ENTRIES[name] ?? name],
    outfile: file,
    bundle: true,
    format,
    platform: 'node',
    target: 'node20',
    // Node.js prints the line that threw, so lines stay short.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 120,
    metafile: true,
    logLevel: 'warning',
  })
  const folders = new Set(Object.keys(metafile.inputs).map(folderOf))
  writeFileSync(`${file}.LICENSES.txt`, [...folders].sort().map(describeLicense).join('\n\n'))
}

/** Returns the folder of a package: `node_modules/pump` for `node_modules/pump/index.js`. */
function folderOf(file: string): string {
  const [folder] = /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []
  if (folder === undefined) throw new Error(`${file} is in no package`)
  return folder
}

function describeLicense(folder: string): string {
  const manifest: { name: string; version: string } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  if (file === undefined) throw new Error(`${folder} has no license file`)
  return `${manifest.name} ${manifest.version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
}
