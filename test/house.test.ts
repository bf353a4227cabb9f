import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { walk } from './scripts/walk.ts'

interface Import {
  /** Path in the repository. */
  from: string
  specifier: string
  /** Path in the repository of what a relative specifier names. */
  target: string | null
  isType: boolean
  isDynamic: boolean
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g

/** Every import of a file, as text says it. */
function importsOf(from: string): Import[] {
  const source = readFileSync(from, 'utf8')
  // The site shows code, in template strings.
  const text = inside('site')(from) ? source.replace(/`(?:\\[\s\S]|[^`\\])*`/g, '``') : source
  return [...text.matchAll(IMPORT)].map(([, type, fixed, dynamic]) => {
    const specifier = fixed ?? dynamic ?? ''
    const target = specifier.startsWith('.') ? relative('.', resolve(dirname(from), specifier)) : null
    return { from, specifier, target, isType: type !== undefined, isDynamic: dynamic !== undefined }
  })
}

function importsIn(room: string): Import[] {
  return walk(room)
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.hydrant/'))
    .flatMap((file) => importsOf(join(room, file)))
}

const packageOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
const isBuiltin = (specifier: string) => specifier.startsWith('node:') || builtinModules.includes(specifier)
const show = ({ from, specifier }: Import) => `${from} imports ${specifier}`
const inside = (room: string) => (path: string | null) => path?.startsWith(`${room}/`) === true

/** Imports of a room that are not among the rooms, packages and built-in modules which it may import. */
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
  optionalDependencies: Record<string, string>
  peerDependencies: Record<string, string>
  exports: Record<string, string | Record<string, string>>
}
const { dependencies, optionalDependencies, peerDependencies } = MANIFEST
const installed = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
const FOR_BUILDING = ['esbuild', 'chokidar', 'typescript']

t.test('shared knows React, the data format and itself', async (t) => {
  t.strictSame(strangers('src/shared', ['src/shared'], ['react', 'devalue'], false), [])
})

t.test('client and server know shared and themselves, never each other', async (t) => {
  t.strictSame(strangers('src/client', ['src/client', 'src/shared'], ['react', 'react-dom'], false), [])
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
  t.strictSame(users.filter(({ from }) => !/^scripts\/(build|dev)\//.test(from)).map(show), [])
  t.strictSame(strangers('scripts', ['scripts', 'src/server', 'src/shared'], installed, true), [])
})

for (const [room, packages] of [
  ['site', ['hydrant', 'react', 'fastify', 'libsql']],
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

t.test('files import each other in no circle', async (t) => {
  const graph = new Map<string, string[]>()
  for (const { from, target, isType, isDynamic } of [...importsIn('src'), ...importsIn('scripts')]) {
    const list = graph.get(from) ?? []
    graph.set(from, list)
    if (target !== null && !isType && !isDynamic) list.push(target)
  }
  const done = new Set<string>()
  const circles: string[] = []
  function visit(file: string, path: readonly string[]) {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (done.has(file) || path.includes(file)) return
    for (const next of graph.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  t.strictSame(circles, [])
})

t.test('what runs in production loads nothing of the build', async (t) => {
  const seen = new Set<string>()
  const packages = new Set<string>()
  function follow(file: string) {
    if (seen.has(file)) return
    seen.add(file)
    for (const { specifier, target, isDynamic } of importsOf(file)) {
      // The command line loads each command when it is asked for it.
      if (file === 'dist/scripts/cli.js' && isDynamic && !specifier.endsWith('/start.js')) continue
      if (target === null) packages.add(packageOf(specifier))
      else if (existsSync(target) && statSync(target).isFile()) follow(target)
      else t.fail(`${file} imports ${specifier}, which is not there`)
    }
  }
  follow('dist/scripts/cli.js')
  follow('dist/src/server/index.js')
  t.ok(seen.has('dist/src/server/start.js'))
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

t.test('nor does the process that says so itself', async (t) => {
  const program =
    "import { register } from 'node:module'; register('data:text/javascript,' + encodeURIComponent(`export async function load(url, context, next) { process._rawDebug('LOADED ' + url); return next(url, context) }`)); await import('hydrant')"
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  const urls = [...stderr.matchAll(/^LOADED (.*)$/gm)].map(([, url]) => url ?? '')
  t.ok(urls.some((url) => url.endsWith('/dist/src/server/plugin.js')))
  t.strictSame(
    urls.filter((url) => /\/(esbuild|chokidar|typescript)\/|\/dist\/scripts\//.test(url)),
    [],
  )
})

t.test('every public entry is there, with its types', async (t) => {
  for (const [name, entry] of Object.entries(MANIFEST.exports)) {
    for (const file of typeof entry === 'string' ? [entry] : Object.values(entry))
      t.ok(existsSync(file), `${name}: ${file}`)
  }
})
