// What a user gets: the package is packed, installed into an empty folder elsewhere and used from there.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { promisify, stripVTControlCharacters } from 'node:util'
import t, { type Test } from 'tap'
import { createOutsideFolder } from '../outside-folder.ts'
import { findErrorsOfProjects, TSC } from '../types/typed-site.ts'
import { until } from '../until.ts'
import { createUserEnv } from '../user-env.ts'
import { copyPackages } from './copy-packages.ts'
import { installHydrant } from './installed.ts'
import { packHydrant } from './pack.ts'

const run = promisify(execFile)
const repository = process.cwd()
const folder = createOutsideFolder(t, 'package-')
const command = join(folder, 'node_modules/.bin/hydrant')

const env = createUserEnv()

const files: Record<string, string> = {
  'package.json': JSON.stringify({ name: 'my-site', private: true, type: 'module' }),
  'pages/index.tsx':
    "import type { PageProps } from 'hydrant/react'\n\nexport default function Page({ data }: PageProps<'/'>) {\n  return <h1>Hello {data.name}</h1>\n}\n",
  'pages/index.server.ts':
    "import type { LoadContext } from 'hydrant'\n\nexport function load({ url }: LoadContext<'/'>): { name: string } {\n  return { name: url.searchParams.get('name') ?? 'world' }\n}\n",
  'pages/products/[id].tsx':
    "import type { PageProps } from 'hydrant/react'\n\nexport default function Page({ data, params }: PageProps<'/products/[id]'>) {\n  return <p>{[params.id, 'costs', data.price].join(' ')}</p>\n}\n",
  'pages/products/[id].server.ts':
    "import { type LoadContext, notFound } from 'hydrant'\n\nexport async function load({ params }: LoadContext<'/products/[id]'>) {\n  if (params.id === '0') notFound()\n  return { price: 5 }\n}\n",
  'pages/likes/[id].tsx': 'export default () => null\n',
  'pages/likes/[id].server.ts':
    "import type { ActionContext } from 'hydrant'\n\nexport async function action({ form, params }: ActionContext<'/likes/[id]'>) {\n  return { id: params.id, size: [...form].length }\n}\n",
  // Used only for the types.
  'consumer.ts': `import hydrant, { type ActionContext, createServer, defineConfig, type Config, hydrant as named, HttpError, type LoadContext, notFound, type PluginOptions, redirect } from 'hydrant'
import { type ErrorPageProps, FailureBoundary, href, type LayoutProps, type PageProps, type RouteId, refresh, type Submission, type SubmitOptions, useSubmission } from 'hydrant/react'
import Fastify from 'fastify'

export const config: Config = defineConfig({ base: '/shop', timeouts: { loadMs: 5 } })
export async function load({ params, url, signal, request, reply, app }: LoadContext<'/products/[id]'>) {
  const id: string = params.id
  if (id === '') notFound()
  if (id === '0') redirect('/', 303)
  if (id === '1') throw new HttpError(403, url.pathname)
  signal.throwIfAborted()
  reply.header('x', request.ip)
  app.log.info('x')
  return { id, price: 5, later: Promise.resolve(1) }
}
export async function action({ form, params, request }: ActionContext<'/products/[id]'>) {
  const file = form.get('file')
  if (file instanceof File) return { size: file.size, id: params.id, body: typeof request.body }
  redirect('/')
}
export function Sending(): number | undefined {
  const { data, submit, isPending, error, progress, form, reset, abort } = useSubmission('/likes/[id]', { id: 7 })
  const own: Submission<{ size: number; id: string }> = useSubmission<'/likes/[id]'>()
  const options: SubmitOptions = { method: 'DELETE' }
  const pending: boolean = isPending
  const sent = [submit({ id: '1' }), submit(new FormData(), options), own.submit(new URLSearchParams(), {})]
  void sent[0]?.then(({ data, error }) => [data?.size, error?.digest])
  void refresh().then(reset, abort)
  void form.onSubmit
  return pending ? progress : (error?.status ?? data?.size)
}
export function Page({ data, actionData, params }: PageProps<'/products/[id]'>): string {
  const price: number = data.price
  const none: undefined = actionData
  return params.id + price + String(none)
}
export const links: string[] = [
  href('/'),
  href('/', {}, { search: { a: 1, b: undefined, c: ['x', 'y'] }, hash: 'top' }),
  href('/products/[id]', { id: 7 }, { search: new URLSearchParams() }),
  ...(['/', '/products/[id]'] as const).map((route) => href(route, { id: 'x' })),
]
export const route: RouteId = '/products/[id]'
export const some: unknown = ({} as PageProps).data
export type Layout = LayoutProps['children']
export type Failed = ErrorPageProps['digest']
export const boundary: typeof FailureBoundary = FailureBoundary
export async function start() {
  const options: PluginOptions = { dir: 'site', csp: false }
  await Fastify().register(hydrant, options)
  await Fastify().register(named, { dir: 'site', prefix: '/x' })
  const app = await createServer({ dir: 'site', logger: false, trustProxy: 'loopback' })
  return (await app.inject('/')).statusCode
}

export function wrong({ params }: LoadContext<'/products/[id]'>) {
  // @ts-expect-error no such parameter
  params.nope
  // @ts-expect-error no such option
  defineConfig({ bsae: '/' })
  // @ts-expect-error a page's data is what its load returns
  ;(props: PageProps<'/products/[id]'>) => props.data.nope
  // @ts-expect-error no such page
  ;(props: PageProps<'/product/[id]'>) => props
  // @ts-expect-error it may not have run
  useSubmission('/likes/[id]', { id: 7 }).data.size
  // @ts-expect-error a form has no numbers
  void useSubmission('/likes/[id]', { id: 7 }).submit({ id: 1 })
  // @ts-expect-error nothing is sent by GET
  void useSubmission('/likes/[id]', { id: 7 }).submit({}, { method: 'GET' })
  // @ts-expect-error the parameter is missing
  useSubmission('/likes/[id]')
  // @ts-expect-error this page has no action
  useSubmission('/products/[id]', { id: 7 })
  // @ts-expect-error dir is required
  void createServer({})
  // @ts-expect-error no such status
  redirect('/', 200)
  // @ts-expect-error no such page
  href('/product/[id]', { id: 7 })
  // @ts-expect-error no page by its URL either
  href('/products/7')
  // @ts-expect-error the parameter is missing
  href('/products/[id]')
  // @ts-expect-error the parameter has another name
  href('/products/[id]', { ID: 7 })
  // @ts-expect-error no such value
  href('/products/[id]', { id: true })
  // @ts-expect-error no parameters
  href('/', { id: 7 })
}
`,
  // The state before the first build.
  'early.ts': `import { href } from 'hydrant/react'

export const anyPath = (path: \`/\${string}\`) => href(path)
href('/anywhere', {}, { hash: 'x' })
href('/products/[id]', { id: 7 })
// @ts-expect-error a path begins with a slash
href('anywhere')
// @ts-expect-error the parameter is missing
href('/products/[id]')
`,
}

for (const [path, contents] of Object.entries(files)) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), contents)
}

/** Starts the installed command and asks it, at its own address and at its console's. */
async function serveInstalled(t: Test, work: (origin: string, admin: string) => Promise<void>) {
  const child = spawn(command, ['start', '--port', '0', '--admin', '0'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  t.teardown(async () => {
    child.kill()
    await ended
  })
  const origins: string[] = []
  for await (const line of createInterface(child.stdout)) {
    origins.push(...(/http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []))
    const [origin, admin] = origins
    if (origin !== undefined && admin !== undefined) return work(origin, admin)
  }
  t.fail('it did not start')
}

// All before the first test: tap ends when it has none to wait for.
const packed = await packHydrant(folder)
const { paths } = packed
await copyPackages(await installHydrant(packed), folder)

t.test('the tarball holds what runs and nothing else', async (t) => {
  for (const needed of [
    'package.json',
    'dist/scripts/cli.js',
    'dist/entry/server.js',
    'dist/entry/react.js',
    'dist/entry/tailwind.js',
    'dist/src/server/bundle/program.js',
    'dist/src/server/index.d.ts',
    'dist/src/shared/react.js',
    'dist/src/shared/react.d.ts',
    'src/shared/tsconfig.site.json',
    'dist/src/client/entry.js',
    'dist/src/client/dev/preamble.js',
    'console/.hydrant/manifest.json',
    'docs/llms.txt',
    'console/.hydrant/server/index.mjs',
    'dist/vendor/image-size.mjs',
    'dist/vendor/launch-editor.cjs',
    'dist/vendor/pino-pretty.cjs',
    'dist/vendor/prom-client.cjs',
    'dist/vendor/LICENSES.txt',
  ]) {
    t.ok(paths.includes(needed), needed)
  }
  const licenses = readFileSync(join(folder, 'node_modules/hydrant/dist/vendor/LICENSES.txt'), 'utf8')
  const bundled = paths.flatMap((path) => /^dist\/vendor\/(?!chunk-)([\w-]+)\.[cm]js$/.exec(path)?.[1] ?? [])
  t.ok(bundled.length > 4)
  for (const name of bundled) t.match(licenses, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+\n\n`, 'm'), name)
  t.strictSame(
    paths.filter(
      (path) =>
        !/^(?:examples|templates)\//.test(path) &&
        /\.map$|tsbuildinfo|(^|\/)(test|tests|site|bench|src)\/.*\.tsx?$|^(dist\/)?(test|site|bench)\/|\.db$|^\./.test(
          path,
        ) &&
        !path.endsWith('.d.ts'),
    ),
    [],
  )
  t.strictSame(
    paths.filter((path) => /^dist\/(test|site|bench|scripts\/package)\//.test(path)),
    [],
  )
  t.strictSame(
    paths.filter((path) => /^dist\/(package\.json|scripts\/|src\/server\/(?!bundle\/)).*(?<!\.d\.ts)$/.test(path)),
    ['dist/scripts/cli.js'],
    'no module is also outside of the bundle, where it would have a state of its own',
  )
  for (const path of paths.filter((name) => /\.js$/.test(name))) {
    t.notMatch(readFileSync(join(repository, path), 'utf8'), repository, `${path} names no folder of this machine`)
  }
})

t.test('the command builds a site in TypeScript and serves it', async (t) => {
  const { stdout } = await run('npx', ['--no-install', 'hydrant', 'build'], { cwd: folder, env })
  t.match(stdout, '/products/[id]')
  await serveInstalled(t, async (origin, admin) => {
    const response = await fetch(`${origin}/?name=package`, { headers: { accept: 'text/html' } })
    const html = await response.text()
    t.equal(response.status, 200)
    t.match(html, /<h1>Hello (<!-- -->)?package<\/h1>/)
    const assets = [...html.matchAll(/(?:href|src)="(\/_hydrant\/assets\/[^"]+)"/g)].map(([, url]) => url ?? '')
    t.ok(assets.length >= 2)
    for (const url of assets) {
      const asset = await fetch(origin + url)
      t.equal(asset.status, 200, url)
      t.match(asset.headers.get('cache-control'), 'immutable')
      t.ok((await asset.text()).length > 0)
    }
    t.match(await (await fetch(`${origin}/products/7`)).text(), '7 costs 5')
    t.strictSame(await (await fetch(`${origin}/products/7`, { headers: { accept: 'application/json' } })).json(), {
      price: 5,
    })
    t.equal((await fetch(`${origin}/products/0`)).status, 404)
    // Where failures are kept, by a thread whose program the package brings.
    await until(() => existsSync(join(folder, 'hydrant-errors.db-wal')))
    await t.test('it brings the console along', async (t) => testConsole(t, admin))
  })
  t.ok(existsSync(join(folder, 'hydrant-errors.db')))
})

async function testConsole(t: Test, admin: string) {
  const html = await (await fetch(admin, { headers: { accept: 'text/html' } })).text()
  t.match(html, 'Nothing has failed yet.')
  const assets = [...html.matchAll(/(?:href|src)="(\/_hydrant\/assets\/[^"]+|\/favicon\.svg)"/g)].map(
    ([, url]) => url ?? '',
  )
  t.ok(assets.length > 3)
  for (const url of assets) t.equal((await fetch(admin + url)).status, 200, url)
  t.strictSame(await (await fetch(`${admin}/api/failures`)).json(), { failures: [], next: null })
  t.match(await (await fetch(`${admin}/metrics`)).text(), 'hydrant_ledger_queue 0')
}

t.test('its types resolve for bundlers and for Node, and refuse what is wrong', async (t) => {
  const settings: [module: string, moduleResolution: string, include: string[]][] = [
    // A bundler's resolution alone finds files without their extension.
    ['esnext', 'bundler', ['consumer.ts', 'hydrant-env.d.ts', 'pages']],
    ['node16', 'node16', ['consumer.ts', 'hydrant-env.d.ts']],
    ['nodenext', 'nodenext', ['consumer.ts', 'hydrant-env.d.ts']],
    ['nodenext', 'nodenext', ['early.ts']],
  ]
  const projects = settings.map(([module, moduleResolution, include], index) => {
    const config = {
      compilerOptions: {
        module,
        moduleResolution,
        target: 'es2023',
        lib: ['es2023', 'dom'],
        jsx: 'react-jsx',
        strict: true,
        noEmit: true,
        types: ['node'],
        typeRoots: [join(repository, 'node_modules/@types')],
        exactOptionalPropertyTypes: true,
        // Leaves out the declarations of TypeScript itself, and a second check of those of the packages.
        skipDefaultLibCheck: true,
        skipLibCheck: include.includes('early.ts'),
      },
      include,
    }
    const file = join(folder, `tsconfig.${index}.json`)
    writeFileSync(file, JSON.stringify(config))
    return file
  })
  const errors = await findErrorsOfProjects(TSC, folder, projects)
  for (const [index, [, moduleResolution, include]] of settings.entries())
    t.strictSame(errors[index], [], `${moduleResolution} with ${include.join(' and ')}`)
})

t.test('start on a terminal writes its log for people', async (t) => {
  t.notOk(existsSync(join(folder, 'node_modules/pino-pretty')), 'by what the package brings')
  const words = ['--quiet', '--flush', '--return', '--command', `${command} start --port 0`, '/dev/null']
  const child = spawn('script', words, {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const ended = once(child, 'close')
  t.teardown(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
    await ended
  })
  for await (const line of createInterface(child.stdout)) {
    // Without the codes of colors.
    if (/^\[\d\d:\d\d:\d\d\].* INFO.*: .*listening at http:/.test(stripVTControlCharacters(line))) return
  }
  t.fail('it did not start')
})

/**
 * Without the bundle there are some 250 modules, and each takes about half a millisecond of CPU time. These are the parts
 * that the command line, the primary of workers, the console and `hydrant/react` have in common.
 */
const MAX_MODULES = 27

t.test('the first response needs few modules', async (t) => {
  const hook =
    "export async function load(url, context, next) { process._rawDebug('LOADED ' + url); return next(url, context) }"
  const toUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`
  const register = `import { register } from 'node:module'; register(${JSON.stringify(toUrl(hook))})`
  const options = ['--import', toUrl(register)]
  const words = ['node_modules/hydrant/dist/scripts/cli.js', 'start', '--port', '0', '--admin', 'false']
  const child = spawn(process.execPath, [...options, ...words], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  t.teardown(async () => {
    child.kill()
    await ended
  })
  let loaded = ''
  child.stderr.on('data', (data) => {
    loaded += data
  })
  for await (const line of createInterface(child.stdout)) {
    const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
    if (origin === undefined) continue
    t.equal((await fetch(`${origin}/products/7`)).status, 200)
    break
  }
  child.kill()
  await ended
  const urls = [...loaded.matchAll(/^LOADED (.*)$/gm)].map(([, url]) => url ?? '')
  const own = urls.filter((url) => url.includes('/hydrant/dist/') && !/-thread(?:-program)?\.js$/.test(url))
  t.ok(own.some((url) => url.endsWith('/bundle/program.js')))
  t.ok(own.length <= MAX_MODULES, own.join('\n'))
  t.strictSame(
    urls
      // The folder of the test may have any name.
      .map((url) => url.replace(pathToFileURL(folder).href, ''))
      .filter((url) => /\/console\/|\/(?:prom-client|start-admin|start-primary|dev|errors)\b/.test(url)),
    [],
  )
})

t.test('start and errors load nothing that only the build needs, such as what an image does not keep', async (t) => {
  const modules = join(folder, 'node_modules')
  const [, remove = ''] = /^RUN (rm -rf .*)$/m.exec(readFileSync('docs/deploy/container/Dockerfile', 'utf8')) ?? []
  await run('sh', ['-c', remove], { cwd: folder })
  for (const name of ['esbuild', '@esbuild', 'oxc-transform', '@oxc-transform'])
    t.notOk(existsSync(join(modules, name)), name)
  const removed = ['acorn', 'typescript', 'chokidar', 'readdirp', '@types']
  for (const name of removed) rmSync(join(modules, name), { recursive: true, force: true })
  await t.resolves(run(command, ['errors'], { cwd: folder, env }))
  await serveInstalled(t, async (origin) => {
    const response = await fetch(`${origin}/products/7`)
    t.equal(response.status, 200)
    t.match(await response.text(), '7 costs 5')
  })
})
