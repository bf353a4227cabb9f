// A site of `hydrant create`, as a user gets it: created and installed from the packed package.

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { startCommand } from '../docs/start-command.ts'
import { createOutsideFolder } from '../outside-folder.ts'
import { CHROMIUM_SHELL } from '../tools.ts'
import { createUserEnv } from '../user-env.ts'
import { copyPackages } from './copy-packages.ts'
import { readDockerfile } from './dockerfile.ts'
import { installHydrant } from './installed.ts'
import { packHydrant } from './pack.ts'

const run = promisify(execFile)

const ENV = {
  ...createUserEnv(),
  CHROMIUM: CHROMIUM_SHELL,
  HYDRANT_ADMIN: 'false',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  // The packages work without their install scripts.
  npm_config_ignore_scripts: 'true',
  npm_config_prefer_offline: 'true',
}

export interface CreatedSite {
  dir: string
  /** Runs a command in the site. Returns both outputs, and whether it succeeded. */
  run(command: string, env?: Record<string, string>): Promise<{ isOk: boolean; output: string }>
  /** Starts `npm run dev` until the end of the test. Returns the origin. */
  startDev(t: Test): Promise<string>
  /** Replaces a text in a file. */
  edit(file: string, before: string, after: string): void
}

/**
 * Creates a site from each template with the installed package, and installs it. npm finds the packages of the previous
 * site there, so it changes only what differs.
 */
export async function createSites<Template extends string>(
  t: Test,
  templates: readonly Template[],
): Promise<Record<Template, CreatedSite>> {
  const folder = createOutsideFolder(t, 'create-')
  let packages = await installHydrant(await packHydrant(folder))
  const hydrant = join(packages, 'node_modules/.bin/hydrant')
  const sites: [Template, CreatedSite][] = []
  for (const template of templates) {
    const dir = join(folder, template, 'site')
    await run(hydrant, ['create', dir, '--template', template])
    await copyPackages(packages, dir)
    await run('npm', ['install', '--silent'], { cwd: dir, env: ENV })
    sites.push([template, openSite(dir)])
    packages = dir
  }
  // Has an entry for each template.
  return Object.fromEntries(sites) as Record<Template, CreatedSite>
}

function openSite(dir: string): CreatedSite {
  return {
    dir,
    async run(command, env = {}) {
      const [program = '', ...words] = command.split(' ')
      const [isOk, { stdout, stderr }] = await run(program, words, { cwd: dir, env: { ...ENV, ...env } }).then(
        (result) => [true, result] as const,
        (error: { stdout: string; stderr: string }) => [false, error] as const,
      )
      return { isOk, output: stdout + stderr }
    },
    async startDev(t) {
      const { origin, stop } = await startCommand('npm run dev', { cwd: dir, env: { ...ENV, PORT: '0' } })
      t.teardown(stop)
      return origin
    },
    edit(file, before, after) {
      const path = join(dir, file)
      writeFileSync(path, readFileSync(path, 'utf8').replace(before, after))
    },
  }
}

export async function fetchText(url: string): Promise<string> {
  return (await fetch(url, { headers: { accept: 'text/html' } })).text()
}

/** Adds the tests that a site of every template must pass before anything in it is changed. */
export function testNewSite(t: Test, { dir, run }: CreatedSite) {
  t.test('the documents that the new site names are in the package', async (t) => {
    const text = ['AGENTS.md', 'README.md', 'Dockerfile'].map((file) => readFileSync(join(dir, file), 'utf8')).join()
    const paths = new Set(text.match(/node_modules\/hydrant\/[\w./-]*\w/g))
    t.ok(paths.size >= 6)
    for (const path of paths) t.ok(existsSync(join(dir, path)), path)
  })

  t.test('npm ci accepts the lockfile of the new site, as its Dockerfile needs', async (t) => {
    const { isOk, output } = await run('npm ci --dry-run')
    t.ok(isOk, 'npm ci', { output })
  })

  t.test('the new site has no errors of types', async (t) => {
    const { isOk, output } = await run('npm run typecheck')
    t.ok(isOk, 'typecheck', { output })
  })

  t.test('the new site passes its tests, also in a browser', async (t) => {
    const { isOk, output } = await run('npm test')
    t.ok(isOk, 'npm test', { output })
    t.match(output, 'a visitor clicks the counter')
  })
}

/**
 * Builds and starts a site with the commands of its Dockerfile. The home page must contain the text. Moves the files of
 * the image, so this is the last test of a site.
 */
export async function testImage(t: Test, { dir }: CreatedSite, text: string) {
  const { build, copied, user, ...file } = readDockerfile(join(dir, 'Dockerfile'))
  t.equal(user, '1000:1000')
  t.match(file.env, { NODE_ENV: 'production', HOST: '0.0.0.0', PORT: '3000' })
  t.equal(build[0], 'npm ci')
  // The packages are installed already.
  await run('bash', ['--norc', '-c', build.slice(1).join(' && ')], { cwd: dir, env: ENV })

  const image = join(dir, '../image')
  for (const path of copied) {
    mkdirSync(join(image, path, '..'), { recursive: true })
    renameSync(join(dir, path), join(image, path))
  }
  const env = { ...ENV, ...file.env, HOST: '127.0.0.1', PORT: '0', HYDRANT_LEDGER: 'false' }
  const server = await startCommand(file.command.join(' '), { cwd: image, env })
  t.teardown(server.stop)
  t.match(await fetchText(`${server.origin}/`), text)
  t.equal((await fetch(`${server.origin}/none`)).status, 404)

  const [program = '', ...words] = file.healthcheck
  const check = () => run(program, words, { env: { ...env, PORT: new URL(server.origin).port } })
  await check()
  await server.stop()
  await t.rejects(check())
}
