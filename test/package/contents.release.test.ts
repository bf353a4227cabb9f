// The files of the published package, and what the tools for package authors say about it.

import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import t from 'tap'
import { installOnce } from '../install-once.ts'
import { createOutsideFolder } from '../outside-folder.ts'
import { packHydrant } from './pack.ts'

const run = promisify(execFile)

/** All files of the package. Each pattern matches one at least. */
const CONTENTS = [
  /^(?:CHANGELOG|README|SECURITY)\.md$|^LICENSE$|^package\.json$/,
  // The console: a built site. If it was built several times, it keeps files of the previous build.
  /^console\/\.hydrant\/(?:(?:manifest|previous)\.json|kept\/(?:builds\.json|\w+\.mjs)|server\/(?:config|index)\.mjs)$/,
  /^console\/\.hydrant\/client\/[\w-]+\.(?:css|js)(?:\.LEGAL\.txt)?(?:\.br|\.gz)?$/,
  /^console\/\.hydrant\/public\/favicon\.svg$/,
  // The public entries and their types.
  /^dist\/entry\/(?:react|server|styles|tailwind|test)\.js$/,
  /^dist\/scripts\/cli\.js$/,
  /^dist\/scripts\/(?:styles|tailwind)\.d\.ts$/,
  /^dist\/scripts\/testing\/[\w-]+\.d\.ts$/,
  /^dist\/src\/(?:server|shared)\/[\w/-]+\.d\.ts$/,
  // The code that builds bundle for browsers, and the code that Node.js runs.
  /^dist\/src\/(?:client|shared)\/[\w/-]+\.js$/,
  /^dist\/src\/server\/bundle\/[\w-]+\.js$/,
  /^dist\/vendor\/(?:[\w-]+\.[cm]js|LICENSES\.txt)$/,
  /^src\/shared\/(?:assets\.d\.ts|tsconfig\.site\.json)$/,
  /^docs\/(?:[\w-]+\/)*[\w-]+\.md$/,
  /^docs\/llms\.txt$/,
  /^docs\/images\/[\w-]+\.webp$/,
  /^docs\/operating\/(?:dashboard\.json|alerts\.yaml)$/,
  /^docs\/(?:proxies|deploy)\/(?:\w+\/)?(?:Caddyfile|Dockerfile|\.dockerignore|[\w.-]+\.(?:cfg|conf|service|yaml))$/,
  /^examples\/(?:board|docs-site|existing-app|shop)\//,
  /^templates\/(?:common|minimal|plugin|site|tailwind)\//,
]

/** The most bytes of all files, without the console. The package has 4.4 MB. */
const MAX_BYTES = 4_700_000

const TOOLS = { publint: '0.3.25', '@arethetypeswrong/cli': '0.18.5' }

/**
 * The output of arethetypeswrong has these kinds of resolution whatever the profile is: `exports` are unknown to node10,
 * and all supported versions of Node.js can require the package's ES modules.
 */
const IGNORED = ['node10', 'node16-cjs']

interface Analysis {
  entrypoints: object
  problems: { resolutionKind?: string }[]
}

const { tarball, paths } = await packHydrant(createOutsideFolder(t, 'contents-'))

t.test('the package has these files and no others', async (t) => {
  t.strictSame(
    paths.filter((path) => !CONTENTS.some((pattern) => pattern.test(path))),
    [],
  )
  t.strictSame(
    CONTENTS.filter((pattern) => !paths.some((path) => pattern.test(path))),
    [],
  )
  t.strictSame(
    paths.filter(
      (path) => !/^(?:examples|templates)\//.test(path) && /(?:^|\/)tests?\/|\.test\.|\.map$|\.tsbuildinfo$/.test(path),
    ),
    [],
  )
  const sizes = paths.filter((path) => !path.startsWith('console/')).map((path) => statSync(path).size)
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  t.ok(bytes <= MAX_BYTES, `${bytes} bytes`)
})

t.test('the manifest has what a page on npm shows, and every path in it exists', async (t) => {
  const manifest = readManifest()
  t.match(manifest, { name: 'hydrant', license: 'MIT', description: String, keywords: Array })
  t.notOk(manifest.private)
  // The types of `imports` are for this repository only.
  const imported = JSON.stringify(manifest.imports).replace(/"types":"[^"]+"/g, '')
  const named = (JSON.stringify([manifest.exports, manifest.bin]) + imported).matchAll(
    /"(?:\.\/)?((?:dist|src)\/[^"]+)"/g,
  )
  const missing = [...named].map(([, path = '']) => path).filter((path) => !paths.includes(path))
  t.strictSame(missing, [])
})

t.test('the package declares all packages that its code and its types import', async (t) => {
  const { name, dependencies, peerDependencies } = readManifest()
  const declared = new Set([name, ...Object.keys({ ...dependencies, ...peerDependencies })])
  const own = paths.filter((path) => path.startsWith('dist/'))
  const { metafile } = await build({
    entryPoints: own.filter((path) => /\.[cm]?js$/.test(path)),
    ...{ bundle: true, packages: 'external', platform: 'node', format: 'esm' },
    ...{ outdir: 'none', write: false, metafile: true, logLevel: 'silent' },
  })
  const byCode = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.flatMap(({ path, external }) => (external ? [path] : [])),
  )
  const byTypes = own
    .filter((path) => path.endsWith('.d.ts'))
    .flatMap((path) => [
      ...readFileSync(path, 'utf8').matchAll(/(?:^(?:import|export|}) .*from |import\()['"]([^.#'"][^'"]*)['"]/gm),
    ])
    .map(([, specifier = '']) => specifier)
  const packages = new Set([...byCode, ...byTypes].filter((path) => !isBuiltin(path)).map(packageOf))
  for (const used of ['fastify', 'react', 'esbuild', 'pg']) t.ok(packages.has(used), used)
  t.strictSame(
    [...packages].filter((used) => !declared.has(used)),
    [],
  )
})

/** Returns the name of the package of an import: `@scope/name` of `@scope/name/file.js`. */
function packageOf(specifier: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ''
}

t.test('publint and arethetypeswrong report nothing', async (t) => {
  const folder = await installOnce('package-tools', TOOLS)
  const { publint } = await import(pathToFileURL(join(folder, 'node_modules/publint/src/index-node.js')).href)
  const bytes = readFileSync(tarball)
  const { messages } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) },
  })
  t.strictSame(messages, [])
  const words = [tarball, '--profile', 'esm-only', '--format', 'json']
  const attw = join(folder, 'node_modules/@arethetypeswrong/cli/dist/index.js')
  const { stdout } = await run(process.execPath, [attw, ...words]).catch((error: { stdout: string }) => error)
  const { analysis }: { analysis: Analysis } = JSON.parse(stdout)
  t.strictSame(Object.keys(analysis.entrypoints).sort(), Object.keys(readManifest().exports).sort())
  t.strictSame(
    analysis.problems.filter(({ resolutionKind }) => !IGNORED.includes(resolutionKind ?? '')),
    [],
  )
})

function readManifest() {
  return JSON.parse(readFileSync('package.json', 'utf8'))
}
