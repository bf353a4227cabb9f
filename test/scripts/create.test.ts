import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runHere } from './run-here.ts'

/** Runs `hydrant create` with npm or another package manager. */
function create(words: readonly string[], agent = 'npm/11.4.0 node/v22.18.0 linux x64') {
  return runHere(['create', ...words], { npm_config_user_agent: agent })
}

function manifestIn(folder: string): { name: string; dependencies: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

t.test('create writes the types of the pages, for editors', async (t) => {
  const cwd = t.testdir()
  for (const [template, site] of [
    ['minimal', 'minimal'],
    ['plugin', 'plugin/site'],
  ] as const) {
    await create([join(cwd, template), '--template', template])
    const file = join(cwd, site, 'hydrant-env.d.ts')
    const written = readFileSync(file, 'utf8')
    t.equal((await runHere(['types', join(cwd, site)])).code, 0)
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
    await create([join(cwd, folder)])
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
    const folder = join(cwd, `with ${install}`)
    const { stdout } = await create([folder], agent)
    t.match(stdout, `  cd '${folder}'\n  ${install}\n  ${dev}\n`)
    for (const file of ['README.md', 'AGENTS.md']) {
      const text = readFileSync(join(folder, file), 'utf8')
      t.match(text, dev, file)
      t.notMatch(text, '{{')
    }
  }
})

t.test('Yarn keeps packages in node_modules, where TypeScript finds them', async (t) => {
  const cwd = t.testdir()
  await create([join(cwd, 'of-yarn')], 'yarn/4.9.2 npm/? node/v22.18.0 linux x64')
  t.equal(readFileSync(join(cwd, 'of-yarn/.yarnrc.yml'), 'utf8'), 'nodeLinker: node-modules\n')
  await create([join(cwd, 'of-npm')])
  t.notOk(existsSync(join(cwd, 'of-npm/.yarnrc.yml')))
})

t.test('pnpm is told that no package needs its install scripts, without which it ends with an error', async (t) => {
  const cwd = t.testdir()
  await create([join(cwd, 'of-pnpm')], 'pnpm/11.2.0 npm/? node/v22.0.0')
  const settings = readFileSync(join(cwd, 'of-pnpm/pnpm-workspace.yaml'), 'utf8')
  for (const line of [
    '  esbuild: false\n',
    "  '@photostructure/sqlite': false\n",
    "  - '@photostructure/sqlite'\n",
    '  - esbuild\n',
  ])
    t.match(settings, line)
  await create([join(cwd, 'of-npm')])
  t.notOk(existsSync(join(cwd, 'of-npm/pnpm-workspace.yaml')))
  writeFileSync(join(cwd, 'pnpm-workspace.yaml'), 'packages: [apps/*]\n')
  const { stdout } = await create([join(cwd, 'apps/in-workspace')], 'pnpm/11.2.0 npm/? node/v22.0.0')
  t.notOk(existsSync(join(cwd, 'apps/in-workspace/pnpm-workspace.yaml')), 'the workspace has its own settings')
  t.match(stdout, `Before you install, add these lines to ${join(cwd, 'pnpm-workspace.yaml')}:\n\n${settings}\n`)
  writeFileSync(join(cwd, 'pnpm-workspace.yaml'), `packages: [apps/*]\n${settings}`)
  t.notMatch((await create([join(cwd, 'apps/second')], 'pnpm/11.2.0 npm/? node/v22.0.0')).stdout, 'Before you install')
})

t.test('create refuses a folder that is not empty and leaves it unchanged', async (t) => {
  const cwd = t.testdir({ full: { 'a.txt': '', 'b.txt': '', 'c.txt': '', 'd.txt': 'd', '.git': {} } })

  const { code, stdout, stderr } = await create([join(cwd, 'full')])

  t.equal(code, 1)
  t.equal(stdout, '')
  t.equal(
    stderr,
    `Error [HYD_CREATE_NOT_EMPTY] the folder ${join(cwd, 'full')} is not empty: it has a.txt, b.txt, c.txt and 1 more\n` +
      'Try: Choose another folder, or move its files away first.\n',
  )
  t.strictSame(readdirSync(join(cwd, 'full')), ['.git', 'a.txt', 'b.txt', 'c.txt', 'd.txt'])
})

t.test('create names a template that is similar to an unknown name', async (t) => {
  const cwd = t.testdir()

  const { code, stderr } = await create([join(cwd, 'my-site'), '--template', 'tailwnd'])

  t.equal(code, 2)
  t.match(stderr, 'Error [HYD_CLI_TEMPLATE] there is no template "tailwnd"; did you mean "tailwind"?')
  t.match(stderr, 'Try: Choose one of the templates minimal, tailwind and plugin.')
  t.match((await create([join(cwd, 'my-site'), '--template', 'common'])).stderr, 'there is no template "common"\n')
  t.strictSame(readdirSync(cwd), [])
})

t.test('create needs a folder', async (t) => {
  const { code, stderr } = await create([])
  t.equal(code, 2)
  t.match(stderr, "Error [HYD_CLI_USAGE] missing required argument 'dir'")
})
