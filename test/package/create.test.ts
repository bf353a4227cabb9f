// Each template of `hydrant create`, as a user gets it: created, installed and used from the packed package.

import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { type RunningCommand, startCommand } from '../docs/start-command.ts'
import { CHROMIUM_SHELL } from '../tools.ts'
import { until } from '../until.ts'
import { createUserEnv } from '../user-env.ts'
import { readDockerfile } from './dockerfile.ts'
import { packHydrant } from './pack.ts'

const run = promisify(execFile)
// Outside this repository, whose packages Node.js would find otherwise.
const folder = mkdtempSync(join(tmpdir(), 'hydrant-create-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

const env = {
  ...createUserEnv(),
  CHROMIUM: CHROMIUM_SHELL,
  HYDRANT_ADMIN: 'false',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  // Compiling better-sqlite3 takes minutes where no binary can be fetched.
  npm_config_ignore_scripts: 'true',
  npm_config_prefer_offline: 'true',
}

const { tarball } = await packHydrant(folder)
await run('tar', ['--extract', '--file', tarball, '--directory', folder])
symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'package/node_modules'))

async function createSite(template: string): Promise<string> {
  const site = join(folder, template)
  await run(process.execPath, [join(folder, 'package/dist/scripts/cli.js'), 'create', site, '--template', template])
  await run('npm', ['install', '--silent', tarball], { cwd: site, env })
  return site
}

/** Runs a script of the site. Returns both outputs and whether the script succeeded. */
async function runScript(site: string, words: readonly string[], more: Record<string, string> = {}) {
  const options = { cwd: site, env: { ...env, ...more } }
  const [isOk, { stdout, stderr }] = await run('npm', words, options).then(
    (result) => [true, result] as const,
    (error: { stdout: string; stderr: string }) => [false, error] as const,
  )
  return { isOk, output: stdout + stderr }
}

async function start(t: Test, site: string, script: string): Promise<RunningCommand> {
  const server = await startCommand(`npm run ${script}`, { cwd: site, env: { ...env, PORT: '0' } })
  t.teardown(server.stop)
  return server
}

async function fetchText(url: string): Promise<string> {
  return (await fetch(url, { headers: { accept: 'text/html' } })).text()
}

/** Returns the stylesheets of a page. */
async function fetchStyles(url: string): Promise<string> {
  const html = await fetchText(url)
  const links = [...html.matchAll(/<link rel="stylesheet"[^>]* href="([^"]+)"/g)].map(([, path = '']) => path)
  return (await Promise.all(links.map((link) => fetchText(new URL(link, url).href)))).join('\n')
}

function edit(site: string, file: string, before: string, after: string) {
  const path = join(site, file)
  writeFileSync(path, readFileSync(path, 'utf8').replace(before, after))
}

const [minimal, tailwind, plugin] = await Promise.all([
  createSite('minimal'),
  createSite('tailwind'),
  createSite('plugin'),
])

for (const site of [minimal, tailwind, plugin]) {
  const name = basename(site)
  t.test(`the documents that a new site (${name}) names are in the package`, async (t) => {
    const text = ['AGENTS.md', 'README.md', 'Dockerfile'].map((file) => readFileSync(join(site, file), 'utf8')).join()
    const paths = new Set(text.match(/node_modules\/hydrant\/[\w./-]*\w/g))
    t.ok(paths.size >= 6)
    for (const path of paths) t.ok(existsSync(join(site, path)), path)
  })

  t.test(`a new site (${name}) has no errors of types, style or format`, async (t) => {
    for (const script of ['typecheck', 'lint']) {
      const { isOk, output } = await runScript(site, ['run', script])
      t.ok(isOk, script, { output })
    }
  })

  t.test(`a new site (${name}) passes its tests, also in a browser`, async (t) => {
    const { isOk, output } = await runScript(site, ['test'])
    t.ok(isOk, 'npm test', { output })
    t.match(output, 'a visitor clicks the counter')
  })
}

t.test('a test in a browser says how to install one', async (t) => {
  const words = ['exec', '--', 'node', '--test', 'test/browser.test.js']
  const { isOk, output } = await runScript(minimal, words, { CHROMIUM: '/nowhere/chromium', NODE_ENV: 'production' })
  t.notOk(isOk)
  t.match(output, 'No browser for the tests.')
  t.match(output, 'npx playwright-core install chromium')
})

t.test('a change of a page appears without a restart', async (t) => {
  const { origin } = await start(t, minimal, 'dev')
  t.match(await fetchText(`${origin}/`), '<h1>Welcome</h1>')
  t.match(await fetchText(`${origin}/books/kim`), '<h1>Kim</h1>')
  edit(minimal, 'pages/index.tsx', 'Welcome</h1>', 'Changed</h1>')
  await until(async () => (await fetchText(`${origin}/`)).includes('<h1>Changed</h1>'))
})

t.test('an edit adds new classes of Tailwind to the stylesheet', async (t) => {
  const { origin } = await start(t, tailwind, 'dev')
  const before = await fetchStyles(`${origin}/`)
  t.match(before, '.bg-accent')
  t.notMatch(before, '.mt-\\[17px\\]')
  edit(tailwind, 'pages/index.tsx', 'mb-4 text-3xl', 'mt-[17px] text-3xl')
  await until(async () => (await fetchStyles(`${origin}/`)).includes('.mt-\\[17px\\]'))
})

t.test('a route of the app changes while its pages are developed', async (t) => {
  const { origin } = await start(t, plugin, 'dev')
  t.match(await fetchText(`${origin}/`), 'Give this app its first page')
  t.match(await fetchText(`${origin}/api/tasks`), 'Give this app its first page')
  edit(plugin, 'src/tasks.ts', 'Give this app its first page', 'Changed')
  await until(async () => (await fetchText(`${origin}/api/tasks`)).includes('Changed'))
})

t.test('Tailwind’s errors name the stylesheet', async (t) => {
  writeFileSync(join(tailwind, 'pages/layout.css'), '@import "tailwindcss";\n.a {\n  @apply no-such-class;\n}\n')
  const unknown = await runScript(tailwind, ['run', 'build'])
  t.match(unknown.output, 'Cannot apply unknown utility class `no-such-class`')
  t.match(unknown.output, 'at pages/layout.css')

  renameSync(join(tailwind, 'node_modules/@tailwindcss'), join(tailwind, 'node_modules/away'))
  const missing = await runScript(tailwind, ['run', 'build'])
  t.match(
    missing.output,
    "Error [HYD_BUILD_TAILWIND] Tailwind CSS cannot be loaded: Cannot find module '@tailwindcss/node'",
  )
  t.match(missing.output, 'Try: Run "npm install --save-dev tailwindcss @tailwindcss/node @tailwindcss/oxide".')
})

for (const [site, expected] of [
  [minimal, '<h1>Changed</h1>'],
  [plugin, '<li>Changed</li>'],
] as const) {
  t.test(`the image of a site (${basename(site)}) starts and is healthy`, async (t) => {
    const { build, copied, user, ...file } = readDockerfile(join(site, 'Dockerfile'))
    t.equal(user, '1000:1000')
    t.match(file.env, { NODE_ENV: 'production', HOST: '0.0.0.0', PORT: '3000' })
    t.equal(build[0], 'npm ci')
    // The packages are installed already.
    await run('bash', ['-c', build.slice(1).join(' && ')], { cwd: site, env })

    const image = join(folder, `${basename(site)}-image`)
    for (const path of copied) {
      mkdirSync(join(image, path, '..'), { recursive: true })
      renameSync(join(site, path), join(image, path))
    }
    const settings = { ...env, ...file.env, HOST: '127.0.0.1', PORT: '0', HYDRANT_LEDGER: 'false' }
    const server = await startCommand(file.command.join(' '), { cwd: image, env: settings })
    t.teardown(server.stop)
    t.match(await fetchText(`${server.origin}/`), expected)
    t.equal((await fetch(`${server.origin}/none`)).status, 404)

    const [program = '', ...words] = file.healthcheck
    const check = () => run(program, words, { env: { ...settings, PORT: new URL(server.origin).port } })
    await check()
    await server.stop()
    await t.rejects(check())
  })
}
