import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { COMMAND_OPTIONS } from '../command-options.ts'
import { fetchNode } from '../node-version.ts'
import { AS_PLAIN_USER } from '../plain-user.ts'
import { cliPath } from './cli-path.ts'
import { runCli } from './run-cli.ts'

/** Runs `hydrant create` in an empty folder, with npm or another package manager. */
async function create(
  cwd: string,
  words: readonly string[],
  options: { agent?: string; under?: readonly string[] } = {},
) {
  const { agent = 'npm/11.4.0 node/v22.18.0 linux x64', under = [] } = options
  return runCli(['create', ...words], { cwd, under, env: { npm_config_user_agent: agent } })
}

function manifestIn(folder: string): { name: string; dependencies: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

t.test('create writes a site into a new folder and prints the next commands', async (t) => {
  const cwd = t.testdir()

  const { code, stdout, stderr } = await create(cwd, ['my-site'])

  t.equal(code, 0)
  t.equal(stderr, '')
  t.equal(
    stdout,
    'Created my-site from the template "minimal". Next:\n\n  cd my-site\n  npm install\n  npm run dev\n\n',
  )
  t.ok(existsSync(join(cwd, 'my-site/pages/index.tsx')))
  t.match(readFileSync(join(cwd, 'my-site/.gitignore'), 'utf8'), 'node_modules/')
})

t.test('create accepts an empty folder, and one that has only .git', async (t) => {
  const cwd = t.testdir({ empty: {}, cloned: { '.git': { HEAD: 'ref: refs/heads/main' } } })

  t.equal((await create(cwd, ['empty'])).code, 0)
  const { code, stdout } = await create(join(cwd, 'cloned'), ['.'])

  t.equal(code, 0)
  t.equal(stdout, 'Created cloned from the template "minimal". Next:\n\n  npm install\n  npm run dev\n\n')
  t.equal(manifestIn(join(cwd, 'cloned')).name, 'cloned')
  t.equal(readFileSync(join(cwd, 'cloned/.git/HEAD'), 'utf8'), 'ref: refs/heads/main')
})

t.test('the site depends on a package for the ledger if Node.js has no node:sqlite', async (t) => {
  const cwd = t.testdir()
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const [version, expected] of [
    ['22.12.0', devDependencies['@photostructure/sqlite']],
    ['22.13.0', undefined],
  ]) {
    const words = [...COMMAND_OPTIONS, cliPath, 'create', version]
    await promisify(execFile)(await fetchNode(version), words, { cwd })
    t.equal(manifestIn(join(cwd, version)).dependencies['@photostructure/sqlite'], expected, version)
    t.match(readFileSync(join(cwd, version, 'package.json'), 'utf8'), /^ {4}"fastify": /m)
  }
})

t.test('create says why it cannot write', async (t) => {
  const cwd = t.testdir({ 'a-file': '' })
  mkdirSync(join(cwd, 'locked'))
  chmodSync(join(cwd, 'locked'), 0o555)

  const locked = await create(cwd, ['locked/my-site'], { under: AS_PLAIN_USER })
  t.equal(locked.code, 1)
  t.match(
    locked.stderr,
    /^Error \[HYD_CREATE_UNWRITABLE\] cannot create the site in locked\/my-site: EACCES: .*\nTry: /,
  )

  const file = await create(cwd, ['a-file'])
  t.equal(file.code, 1)
  t.match(
    file.stderr,
    'Error [HYD_CREATE_UNWRITABLE] cannot create the site in a-file: it is a file\nTry: Choose another',
  )
  const below = await create(cwd, ['a-file/my-site'])
  t.match(
    below.stderr,
    `cannot create the site in a-file/my-site: ${join(cwd, 'a-file')} is a file\nTry: Choose another`,
  )
})

t.test('create removes the files that it has written when it cannot write all of them', async (t) => {
  const cwd = t.testdir({ cloned: { '.git': {} } })
  // As on a full disk, a longer file cannot be written.
  const under = ['prlimit', '--fsize=1000']

  const { code, stderr } = await create(cwd, ['new/my-site'], { under })
  t.equal(code, 1)
  t.match(stderr, 'Error [HYD_CREATE_UNWRITABLE] cannot create the site in new/my-site: EFBIG')
  t.equal((await create(cwd, ['cloned'], { under })).code, 1)

  t.strictSame(readdirSync(cwd), ['cloned'])
  t.strictSame(readdirSync(join(cwd, 'cloned')), ['.git'])
})
