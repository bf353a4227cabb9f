// Bundles the code that runs in Node.js for the published package, with packages, and writes the public entries. Node.js
// takes about half a millisecond of CPU time to resolve, read, compile and link a module, and `hydrant start` needs some
// 250 of them before its first response. Runs in the repository's folder, after the compiler.
//
// The repository itself runs the compiled modules, so that a test and the server in its process share them. The
// `imports` of `package.json` in `dist`, which is not published, lead to the modules. With a condition, they lead to the
// bundle. The `imports` of the published `package.json` lead to the bundle. A process loads only one of the two, so it
// has one class `HttpError` and one React context.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'

const DIST = join(process.cwd(), 'dist')
// A folder beside the rooms, so that `PACKAGE_FOLDER` and the programs of threads are found in the same way.
const FOLDER = 'src/server/bundle'

/** With this condition of Node.js, a process of the repository loads the bundle too. */
const CONDITION = 'hydrant-bundle'

/** The modules that are imported by the names of package.json. */
const ENTRIES = {
  program: 'scripts/program.js',
  react: 'src/shared/react.js',
  server: 'src/server/index.js',
  styles: 'scripts/styles.js',
  tailwind: 'scripts/tailwind.js',
  test: 'scripts/testing/index.js',
} as const

/** The public entries, by what they export. */
const PUBLIC = {
  react: ['*'],
  server: ['*', '{ default }'],
  styles: ['*'],
  tailwind: ['*'],
  test: ['*'],
} as const

/** Commands that serve nothing. They share no state with the code of a site. */
const COMMANDS = ['build', 'create', 'docs', 'errors', 'info', 'slow', 'types'] as const

/** Modules that are loaded in processes which do not serve. */
const NOT_SERVING = /(?:program|start\/(?:start|start-primary|cluster-metrics|report-start-failure))\.js$/

/** Modules that browsers and tests of components load as well, without a server. */
const WITHOUT_SERVER = /^src\/shared\/|testing\/component-tests\.js$/

/** Leaves the commands of `COMMANDS` out of the program. */
const leaveCommands: Plugin = {
  name: 'leave-commands',
  setup({ onResolve }) {
    const filter = new RegExp(`/(?:${COMMANDS.join('|')})\\.js$`)
    onResolve({ filter }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path: path.replace(/.*\//, './'), external: true } : null,
    )
  },
}

/**
 * Makes each module from which a chunk starts import all that a serving process needs anyway. esbuild makes a chunk of
 * the modules that the same entries import, so it puts all of them into one chunk instead of forty. `hydrant/react` is
 * a second chunk: tools such as Storybook bundle it for browsers, where no module of the server can be loaded.
 */
function joinServing(starts: ReadonlySet<string>): Plugin {
  return {
    name: 'join-serving',
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, ({ path }) => {
        if (!starts.has(path)) return null
        const serving = [ENTRIES.server, ENTRIES.react, 'src/server/start/start-single.js'].map((file) =>
          join(DIST, file),
        )
        const lines = serving.filter((file) => file !== path).map((file) => `import ${JSON.stringify(file)}\n`)
        return { contents: readFileSync(path, 'utf8') + lines.join('') }
      })
    },
  }
}

/**
 * Finds the modules of a serving process from which a chunk starts: entries, and modules that others import on demand.
 * A build of its own finds them, because esbuild loads modules in parallel: in the build that changes them, some would
 * be loaded before the import that makes them a start is found, and the same source would give different bundles.
 */
async function findStarts(entryPoints: Record<string, string>): Promise<Set<string>> {
  const { metafile } = await bundle({ entryPoints, splitting: true, plugins: [leaveCommands], write: false })
  const imports = Object.values(metafile?.inputs ?? {}).flatMap((input) => input.imports)
  const onDemand = imports.filter(({ kind, external, path }) => {
    return kind === 'dynamic-import' && !external && !NOT_SERVING.test(path) && !WITHOUT_SERVER.test(path)
  })
  return new Set([ENTRIES.server, ...onDemand.map(({ path }) => path)].map((path) => join(DIST, path)))
}

function bundle(options: BuildOptions) {
  return build({
    absWorkingDir: DIST,
    outdir: FOLDER,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    external: ['#*'],
    logLevel: 'warning',
    metafile: true,
    ...options,
  })
}

rmSync(join(DIST, FOLDER), { recursive: true, force: true })
const { styles, tailwind, ...serving } = ENTRIES
const starts = await findStarts(serving)
await Promise.all([
  // Otherwise esbuild would leave out imports for which no name is used: package.json has `sideEffects: false`.
  bundle({
    entryPoints: serving,
    splitting: true,
    ignoreAnnotations: true,
    plugins: [leaveCommands, joinServing(starts)],
  }),
  bundle({ entryPoints: COMMANDS.map((name) => `scripts/commands/${name}.js`), splitting: true }),
  // Threads, hooks, and the plugins of a build, share no modules with the others.
  bundle({
    entryPoints: {
      'build-copy-hooks': 'src/server/build-output/build-copy-hooks.js',
      'ledger-thread-program': 'src/server/ledger/ledger-thread-program.js',
      'markdown-thread-program': 'src/server/markdown/markdown-thread-program.js',
      'watchdog-thread': 'src/server/lifecycle/watchdog-thread.js',
      styles,
      tailwind,
    },
  }),
])

mkdirSync(join(DIST, 'entry'), { recursive: true })
for (const [name, exported] of Object.entries(PUBLIC)) {
  const lines = exported.map((what) => `export ${what} from '#${name}'\n`)
  writeFileSync(join(DIST, 'entry', `${name}.js`), lines.join(''))
}

const { files: _, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8').replaceAll('"./dist/', '"./'))
const modules = Object.entries(ENTRIES).map(([name, file]) => [
  `#${name}`,
  { [CONDITION]: `./${FOLDER}/${name}.js`, default: `./${file}` },
])
const imports = { ...manifest.imports, ...Object.fromEntries(modules) }
writeFileSync(join(DIST, 'package.json'), `${JSON.stringify({ ...manifest, imports }, null, 2)}\n`)

// Packages, and the licenses of all packages in their bundles. As dependencies they would bring 29 packages into each site,
// 14 of them by pino-pretty.

/** The packages by their format: their own, or that of `require`. */
const PACKAGES = {
  esm: [
    'chokidar',
    'hast-util-from-html',
    'hast-util-to-mdast',
    'image-size',
    'mdast-util-gfm',
    'mdast-util-to-markdown',
  ],
  cjs: ['cjs-module-lexer', 'launch-editor', 'pino-pretty', 'prom-client', 'react-refresh/runtime', 'string-width'],
} as const

rmSync('dist/vendor', { recursive: true, force: true })
const bundled = new Set<string>()
for (const format of ['esm', 'cjs'] as const) {
  const { metafile } = await build({
    entryPoints: Object.fromEntries(PACKAGES[format].map((name) => [name.replace(/\/.*/, ''), name])),
    outdir: 'dist/vendor',
    outExtension: { '.js': format === 'esm' ? '.mjs' : '.cjs' },
    bundle: true,
    // The packages for Markdown share modules.
    splitting: format === 'esm',
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
  for (const input of Object.keys(metafile.inputs)) bundled.add(folderOf(input))
}
writeFileSync('dist/vendor/LICENSES.txt', [...bundled].sort().map(describeLicense).join('\n\n'))

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
