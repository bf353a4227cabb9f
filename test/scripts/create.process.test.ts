import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { AS_PLAIN_USER } from '../plain-user.ts'
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

t.test('create writes the types of the pages, for editors', async (t) => {
  const cwd = t.testdir()
  for (const [template, site] of [
    ['minimal', 'minimal'],
    ['plugin', 'plugin/site'],
  ] as const) {
    await create(cwd, [template, '--template', template])
    const file = join(cwd, site, 'hydrant-env.d.ts')
    const written = readFileSync(file, 'utf8')
    t.equal((await runCli(['types', site], { cwd })).code, 0)
    t.equal(readFileSync(file, 'utf8'), written)
  }
})

t.test('the package has the name of its folder and depends on the version of Hydrant that created it', async (t) => {
  const cwd = t.testdir()
  const names = {
    'Über Shop!': 'uber-shop',
    '_a.b': 'a.b',
    日本: 'my-site',
    // npm refuses a package that depends on a package of its own name.
    react: 'react-site',
  }
  for (const [folder, name] of Object.entries(names)) {
    await create(cwd, [folder])
    t.equal(manifestIn(join(cwd, folder)).name, name)
  }
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  t.equal(manifestIn(join(cwd, 'react')).dependencies.hydrant, `^${version}`)
})

t.test('the commands are those of the package manager that runs create', async (t) => {
  const cwd = t.testdir()
  for (const [agent, install, dev] of [
    ['pnpm/10.18.0 npm/? node/v22.18.0 linux x64', 'pnpm install', 'pnpm dev'],
    ['yarn/4.9.2 npm/? node/v22.18.0 linux x64', 'yarn install', 'yarn dev'],
    ['bun/1.2.19 npm/? node/v24.3.0 linux x64', 'bun install', 'bun run dev'],
    ['', 'npm install', 'npm run dev'],
  ] as const) {
    const { stdout } = await create(cwd, [`with ${install}`], { agent })
    t.match(stdout, `  cd 'with ${install}'\n  ${install}\n  ${dev}\n`)
  }
})

t.test('Yarn keeps packages in node_modules, where TypeScript finds them', async (t) => {
  const cwd = t.testdir()
  await create(cwd, ['of-yarn'], { agent: 'yarn/4.9.2 npm/? node/v22.18.0 linux x64' })
  t.equal(readFileSync(join(cwd, 'of-yarn/.yarnrc.yml'), 'utf8'), 'nodeLinker: node-modules\n')
  await create(cwd, ['of-npm'])
  t.notOk(existsSync(join(cwd, 'of-npm/.yarnrc.yml')))
})

t.test('pnpm is told that no package needs its install scripts, without which it ends with an error', async (t) => {
  const cwd = t.testdir()
  await create(cwd, ['of-pnpm'], { agent: 'pnpm/11.2.0 npm/? node/v22.0.0' })
  const settings = readFileSync(join(cwd, 'of-pnpm/pnpm-workspace.yaml'), 'utf8')
  for (const line of ["  '@photostructure/sqlite': false\n", '  esbuild: false\n', '  - esbuild\n'])
    t.match(settings, line)
  await create(cwd, ['of-npm'])
  t.notOk(existsSync(join(cwd, 'of-npm/pnpm-workspace.yaml')))
  writeFileSync(join(cwd, 'pnpm-workspace.yaml'), 'packages: [apps/*]\n')
  await create(cwd, ['apps/in-workspace'], { agent: 'pnpm/11.2.0 npm/? node/v22.0.0' })
  t.notOk(existsSync(join(cwd, 'apps/in-workspace/pnpm-workspace.yaml')), 'the workspace has its own settings')
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

t.test('create refuses a folder that is not empty and leaves it unchanged', async (t) => {
  const cwd = t.testdir({ full: { 'a.txt': '', 'b.txt': '', 'c.txt': '', 'd.txt': 'd', '.git': {} } })

  const { code, stdout, stderr } = await create(cwd, ['full'])

  t.equal(code, 1)
  t.equal(stdout, '')
  t.equal(
    stderr,
    'Error [HYD_CREATE_NOT_EMPTY] the folder full is not empty: it has a.txt, b.txt, c.txt and 1 more\n' +
      'Try: Choose another folder, or move its files away first.\n',
  )
  t.strictSame(readdirSync(join(cwd, 'full')), ['.git', 'a.txt', 'b.txt', 'c.txt', 'd.txt'])
})

t.test('create names a template that is similar to an unknown name', async (t) => {
  const cwd = t.testdir()

  const { code, stderr } = await create(cwd, ['my-site', '--template', 'tailwnd'])

  t.equal(code, 2)
  t.match(stderr, 'Error [HYD_CLI_TEMPLATE] there is no template "tailwnd"; did you mean "tailwind"?')
  t.match(stderr, 'Try: Choose one of the templates minimal, tailwind and plugin.')
  t.match((await create(cwd, ['my-site', '--template', 'common'])).stderr, 'there is no template "common"\n')
  t.strictSame(readdirSync(cwd), [])
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

t.test('create needs a folder', async (t) => {
  const { code, stderr } = await create(t.testdir(), [])
  t.equal(code, 2)
  t.match(stderr, "Error [HYD_CLI_USAGE] missing required argument 'dir'")
})
