// Bundles packages for the published package, with the licences of all packages in each bundle. As a dependency
// pino-pretty would bring 14 packages into each site, and launch-editor three. Runs in the repository's folder, after
// the compiler.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

for (const name of ['pino-pretty', 'launch-editor']) {
  const file = `dist/vendor/${name}.cjs`
  const { metafile } = await build({
    entryPoints: [name],
    outfile: file,
    bundle: true,
    platform: 'node',
    target: 'node20',
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
  if (file === undefined) throw new Error(`${folder} has no licence file`)
  return `${manifest.name} ${manifest.version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
}
