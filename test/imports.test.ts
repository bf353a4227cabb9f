import { existsSync, readFileSync, statSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import t from 'tap'
import { findFailing } from './find-failing.ts'
import { tierOf } from './runner/tiers.ts'
import { walk } from './scripts/walk.ts'

interface Import {
  /** The importing file, by its path in the repository. */
  from: string
  specifier: string
  /** The imported file of a relative specifier, by its path in the repository. */
  target: string | null
  isType: boolean
  isDynamic: boolean
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g

/** Finds the imports of a file by a regular expression. */
function importsOf(from: string): Import[] {
  const source = readFileSync(from, 'utf8')
  // The site has examples of code in template strings.
  const text = inside('site')(from) ? source.replace(/`(?:\\[\s\S]|[^`\\])*`/g, '``') : source
  return [...text.matchAll(IMPORT)].map(([, type, fixed, dynamic]) => {
    const specifier = fixed ?? dynamic ?? ''
    const target = specifier.startsWith('.') ? relative('.', resolve(dirname(from), specifier)) : null
    return { from, specifier, target, isType: type !== undefined, isDynamic: dynamic !== undefined }
  })
}

function filesIn(folder: string): string[] {
  return walk(folder)
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.hydrant/'))
    .map((file) => join(folder, file))
}

const importsIn = (folder: string): Import[] => filesIn(folder).flatMap(importsOf)

const packageOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
const isBuiltin = (specifier: string) => specifier.startsWith('node:') || builtinModules.includes(specifier)
const show = ({ from, specifier }: Import) => `${from} imports ${specifier}`
const inside = (room: string) => (path: string | null) => path?.startsWith(`${room}/`) === true

/** Returns the imports of a room that are not among its allowed rooms, packages and built-in modules. */
function strangers(
  room: string,
  rooms: readonly string[],
  packages: readonly string[] | null,
  mayUseNode: boolean,
): string[] {
  const found = importsIn(room)
  t.ok(found.length > 5, `${room} has imports to look at`)
  return found
    .filter(({ specifier, target }) => {
      if (target !== null) return !rooms.some((name) => inside(name)(target))
      if (isBuiltin(specifier)) return !mayUseNode
      return packages !== null && !packages.includes(packageOf(specifier))
    })
    .map(show)
}

const MANIFEST = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>
  peerDependencies: Record<string, string>
  imports: Record<string, unknown>
  exports: Record<string, string | Record<string, string>>
}
const { dependencies, peerDependencies, imports } = MANIFEST
/** The packages that a site installs, and the bundled ones. */
const installed = Object.keys({ ...dependencies, ...peerDependencies, ...imports })
const FOR_BUILDING = ['acorn', 'esbuild', 'chokidar', 'oxc-transform', 'typescript']

t.test('shared knows React, the data format and itself', async (t) => {
  t.strictSame(strangers('src/shared', ['src/shared'], ['react', 'devalue'], false), [])
})

t.test('client and server know shared and themselves, never each other', async (t) => {
  const ofBrowser = strangers('src/client', ['src/client', 'src/shared'], ['react', 'react-dom'], false)
  const ofDev = /^src\/client\/dev\/\S+ imports #react-refresh$/
  t.strictSame(
    ofBrowser.filter((text) => !ofDev.test(text)),
    [],
    'only development refreshes modules',
  )
  const packages = installed.filter((name) => ![...FOR_BUILDING, 'commander'].includes(name))
  t.strictSame(strangers('src/server', ['src/server', 'src/shared'], packages, true), [])
})

t.test('src never imports scripts, tests or the site', async (t) => {
  t.strictSame(
    importsIn('src')
      .filter(({ target }) => target !== null && !inside('src')(target))
      .map(show),
    [],
  )
})

t.test('only the build and the development server know what they are made of', async (t) => {
  const users = importsIn('scripts').filter(
    ({ specifier, isType }) => !isType && FOR_BUILDING.includes(packageOf(specifier)),
  )
  t.strictSame(users.filter(({ from }) => !/^scripts\/(build|dev|package)\//.test(from)).map(show), [])
  const ofScripts = strangers('scripts', ['scripts', 'src/server', 'src/shared'], installed, true)
  t.strictSame(
    ofScripts.filter((text) => text !== 'scripts/package/write-documents.ts imports yaml'),
    [],
    'only the build of the package uses what a site does not install',
  )
})

/** Packages with which the site's build compiles the documents. */
const FOR_DOCUMENTS = ['esbuild', 'marked', 'highlight.js']

t.test('only the build of the site compiles documents', async (t) => {
  const users = importsIn('site').filter(({ specifier }) => FOR_DOCUMENTS.includes(packageOf(specifier)))
  t.strictSame(users.filter(({ from }) => !from.startsWith('site/documentation/')).map(show), [])
})

for (const [room, packages] of [
  ['site', ['hydrant', 'react', 'fastify', '@photostructure/sqlite', 'zod', ...FOR_DOCUMENTS]],
  ['console', ['hydrant', 'react', 'fastify']],
] as const) {
  t.test(`the ${room} uses what any site could`, async (t) => {
    t.strictSame(strangers(room, [room], packages, room === 'site'), [])
    const imports = importsIn(room)
    t.strictSame(
      imports.filter(({ specifier, isType }) => specifier.startsWith('fastify') && !isType).map(show),
      [],
      'of Fastify only types',
    )
    const own = imports.filter(({ specifier }) => packageOf(specifier) === 'hydrant').map(({ specifier }) => specifier)
    t.strictSame(
      [...new Set(own)].filter((specifier) => !['hydrant', 'hydrant/react'].includes(specifier)),
      [],
    )
  })
}

/** Every folder and entry file of `src/server`, top to bottom: each may import itself and those below it. */
const SERVER_ROOMS = [
  ...['index.ts', 'start', 'plugin.ts', 'admin', 'create-server.ts', 'site', 'pages', 'render', 'lifecycle', 'context'],
  ...['failures', 'live', 'cache', 'guards', 'metrics', 'build-output', 'schemas', 'ledger', 'http', 'forms'],
  ...['options', 'redaction', 'markdown', 'log', 'errors', 'util'],
]
/** Every folder and file of `scripts`, in the same order. */
const SCRIPTS_ROOMS = [
  ...['package', 'cli.ts', 'program.ts', 'commands', 'testing', 'release'],
  ...['chapters.ts', 'export', 'dev', 'build', 'terminal'],
  ...['tailwind.ts', 'styles.ts', 'check-react.ts', 'find-fix.ts'],
  ...['prerender-argument.ts', 'build-problem.ts', 'map-with-limit.ts', 'open-files.ts'],
]
/** Every folder and entry file of `scripts/build`, in the same order. */
const BUILD_ROOMS = ['build-site.ts', 'prerender', 'bundles', 'images.ts', 'output', 'esbuild', 'discover']
/** Every folder and entry file of `scripts/dev`, in the same order. */
const DEV_ROOMS = [...['dev-server.ts', 'dev-site.ts'], ...['http', 'engine', 'modules', 'errors', 'watch']]
/** Every folder and file of `scripts/dev/modules`, in the same order. */
const MODULE_ROOMS = [
  ...['module-compiler.ts', 'scan-site.ts', 'browser', 'packages', 'server', 'compile-with-plugins.ts'],
  ...['script-settings.ts', 'recompiled.ts', 'site-graph.ts', 'observe-plugins.ts'],
]

for (const [folder, rooms] of [
  ['src/server', SERVER_ROOMS],
  ['scripts', SCRIPTS_ROOMS],
  ['scripts/build', BUILD_ROOMS],
  ['scripts/dev', DEV_ROOMS],
  ['scripts/dev/modules', MODULE_ROOMS],
] as const) {
  t.test(`the folders of ${folder} import only those below them, types included`, async (t) => {
    const roomOf = (path: string) => rooms.indexOf(path.slice(folder.length + 1).split('/')[0] ?? '')
    const own = importsIn(folder).filter(({ target }) => inside(folder)(target))
    t.ok(own.length > 30, 'there are imports to look at')
    const files = filesIn(folder)
    t.strictSame(
      files.filter((file) => roomOf(file) === -1),
      [],
      'every file has a place in the order',
    )
    t.strictSame(
      rooms.filter(
        (room) => !files.some((file) => file === `${folder}/${room}` || file.startsWith(`${folder}/${room}/`)),
      ),
      [],
      'every place has files',
    )
    t.strictSame(own.filter(({ from, target }) => roomOf(from) > roomOf(target ?? '')).map(show), [])
  })
}

t.test('folders stay small enough to be read', async (t) => {
  const counts = new Map<string, number>()
  for (const file of [...filesIn('src'), ...filesIn('scripts')])
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  t.ok((counts.get('src/server') ?? 0) <= 8, 'src/server holds entry files only')
  t.strictSame(
    [...counts].filter(([, count]) => count > 30),
    [],
  )
})

/** Returns the circles of a graph: `a → b → a`. */
function circlesOf(edges: readonly (readonly [from: string, to: string])[]): string[] {
  const graph = new Map<string, string[]>()
  for (const [from, to] of edges) graph.set(from, [...(graph.get(from) ?? []), to])
  const done = new Set<string>()
  const circles: string[] = []
  function visit(node: string, path: readonly string[]) {
    if (path.includes(node)) circles.push([...path.slice(path.indexOf(node)), node].join(' → '))
    if (done.has(node) || path.includes(node)) return
    for (const next of graph.get(node) ?? []) visit(next, [...path, node])
    done.add(node)
  }
  for (const node of graph.keys()) visit(node, [])
  return circles
}

t.test('files import each other in no circle, types included', async (t) => {
  const imports = ['src', 'scripts', 'console', 'site', 'bench', 'test'].flatMap(importsIn)
  const edges = imports.flatMap(({ from, target }) => (target === null ? [] : [[from, target] as const]))
  t.ok(edges.length > 1_000, 'there are imports to look at')
  t.strictSame(circlesOf(edges), [])
})

t.test('nor do the folders and files of src/shared, src/client and of each room', async (t) => {
  const rooms = SERVER_ROOMS.filter((room) => !room.endsWith('.ts')).map((room) => `src/server/${room}`)
  const failing = await findFailing(
    ['src/shared', 'src/client', ...rooms],
    (folder) => {
      const placeOf = (path: string) => path.slice(folder.length + 1).split('/')[0] ?? ''
      const edges = importsIn(folder)
        .filter(({ target }) => inside(folder)(target))
        .map(({ from, target }) => [placeOf(from), placeOf(target ?? '')] as const)
      return circlesOf(edges.filter(([from, to]) => from !== to))
    },
    () => [],
  )
  t.strictSame(failing, [])
})

t.test('what runs in production loads nothing of the build', async (t) => {
  const seen = new Set<string>()
  const packages = new Set<string>()
  function follow(file: string) {
    if (seen.has(file)) return
    seen.add(file)
    for (const { specifier, target, isDynamic } of importsOf(file)) {
      // The command line loads the module of a command when the command is run.
      if (file === 'dist/scripts/program.js' && isDynamic && !specifier.endsWith('/start.js')) continue
      if (target === null) packages.add(packageOf(specifier))
      else if (existsSync(target) && statSync(target).isFile()) follow(target)
      else t.fail(`${file} imports ${specifier}, which is not there`)
    }
  }
  follow('dist/scripts/program.js')
  follow('dist/src/server/index.js')
  t.ok(seen.has('dist/src/server/start/start.js'))
  t.strictSame(
    [...seen].filter((file) => /^dist\/scripts\/(build|dev)\//.test(file)),
    [],
  )
  t.strictSame(
    [...packages].filter((name) => FOR_BUILDING.includes(name)),
    [],
  )
  t.strictSame(
    [...packages].filter((name) => !isBuiltin(name) && !installed.includes(name)),
    [],
    'every package is a dependency',
  )
})

t.test('documents that everybody should finish are short', async (t) => {
  const decisions = walk('docs/decisions').map((file) => [join('docs/decisions', file), 40] as const)
  t.ok(decisions.length > 20, 'there are decisions to look at')
  const limits = [['README.md', 110], ['CONTRIBUTING.md', 130], ['docs/architecture.md', 200], ...decisions] as const
  const lengths = limits.map(([file, most]) => ({
    file,
    most,
    lines: readFileSync(file, 'utf8').trimEnd().split('\n').length,
  }))
  t.strictSame(
    lengths.filter(({ lines, most }) => lines > most),
    [],
  )
})

t.test('comments and the documents for maintainers name files that exist', async (t) => {
  const texts = [
    ...['src', 'scripts', 'test', 'bench', 'console'].flatMap(filesIn),
    ...['docs/decisions', 'docs/maintaining'].flatMap((folder) => walk(folder).map((file) => join(folder, file))),
    'docs/architecture.md',
    'CONTRIBUTING.md',
  ]
  // A path in an example is one of a site.
  const named = texts.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => file.endsWith('.md') || /^\s*(?:\/\/|\/?\*)/.test(line))
      .flatMap((line) => line.match(/(?<![\w/.-])(?:src|scripts|test|bench)\/[\w/.-]+\.(?:tsx?|md)\b/g) ?? [])
      .map((path) => ({ file, path })),
  )
  t.ok(named.length > 50, 'there are names of files to look at')
  t.strictSame(
    named.filter(({ path }) => !existsSync(path)),
    [],
  )
})

t.test('every public entry is there, with its types', async (t) => {
  const files = Object.values(MANIFEST.exports).flatMap((entry) =>
    typeof entry === 'string' ? [entry] : Object.values(entry),
  )
  t.ok(files.length > 5, 'there are entries to look at')
  t.strictSame(
    files.filter((file) => !existsSync(file)),
    [],
  )
})

/** What tests of each tier must not reach: starting one of these needs another name. */
const BEYOND = {
  inject: ['node:child_process', 'playwright-core', 'test/tools.ts', 'test/postgres.ts', 'test/redis.ts'],
  smoke: [
    'test/postgres.ts',
    'test/redis.ts',
    'test/package/pack.ts',
    'test/browser/firefox.ts',
    'test/browser/webkit.ts',
  ],
}

t.test('the name of a test says what it needs', async (t) => {
  const tests = filesIn('test').filter((file) => /\.test\.tsx?$/.test(file) && !file.startsWith('test/runner/'))
  const tierOfSource = (file: string) => tierOf(file.replace(/\.tsx?$/, '.js'))
  for (const [tier, names] of Object.entries(BEYOND)) {
    const files = tests.filter((file) => tierOfSource(file) === tier)
    t.ok(files.length > 1, `there are ${tier} tests`)
    t.strictSame(
      files.flatMap((file) => {
        const found = reachedInTests(file)
        return names.filter((name) => found.has(name)).map((name) => `${file} uses ${name}`)
      }),
      [],
    )
  }
})

/** Returns the files of tests and the packages that a test imports, itself or through other files of tests. */
function reachedInTests(file: string): Set<string> {
  const found = new Set([file])
  for (const path of found) {
    if (!inside('test')(path) || !existsSync(path)) continue
    for (const { target, specifier, isType } of importsOf(path)) if (!isType) found.add(target ?? specifier)
  }
  return found
}
