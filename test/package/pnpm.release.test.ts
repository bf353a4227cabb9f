// pnpm: with isolated packages, which find only what they declare; with packages in one folder; and in a workspace.

import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { until } from '../until.ts'
import { createSite, edit, fetchText, openWorkplace, runPrinted, testChecks, testDev, testStart } from './managers.ts'

// All before the first test: tap ends when it has none to wait for.
const pnpm = await openWorkplace(t, 'pnpm')
const output = await createSite(t, pnpm, pnpm.folder, 'my-site')
const printed = await runPrinted(t, pnpm, pnpm.folder, output)

t.test('isolated packages', async (t) => {
  t.match(output, '  cd my-site\n  pnpm install\n  pnpm dev\n')
  const locked = await pnpm.run(pnpm.manager.installLocked, printed.site)
  t.ok(locked.isOk, 'install', locked)
  testDev(t, pnpm, printed)
  testStart(t, pnpm, printed.site)
  testChecks(t, pnpm, printed.site)
})

t.test('packages in one folder', async (t) => {
  const site = join(pnpm.folder, 'hoisted')
  await createSite(t, pnpm, pnpm.folder, 'hoisted')
  edit(join(site, 'pnpm-workspace.yaml'), /^/, 'nodeLinker: hoisted\n')
  const installed = await pnpm.run('pnpm install', site)
  t.ok(installed.isOk, 'install', installed)
  testDev(t, pnpm, { site, dev: 'pnpm dev' })
  testStart(t, pnpm, site)
})

const WORKSPACE = {
  'package.json': '{ "private": true }',
  'pnpm-workspace.yaml': 'packages: [apps/*, packages/*]\n',
  'packages/ui/package.json': JSON.stringify({
    name: '@acme/ui',
    version: '1.0.0',
    type: 'module',
    exports: './badge.tsx',
    peerDependencies: { react: '^19.0.0' },
  }),
  'packages/ui/badge.tsx': 'export const Badge = () => <b>from the package</b>\n',
}

t.test('a workspace', async (t) => {
  const root = join(pnpm.folder, 'workspace')
  for (const [path, text] of Object.entries(WORKSPACE)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const output = await createSite(t, pnpm, root, 'apps/site')
  const [, settings = ''] =
    /Before you install, add these lines to \S*pnpm-workspace\.yaml:\n\n([\s\S]*?)\n\n/.exec(output) ?? []
  edit(join(root, 'pnpm-workspace.yaml'), /$/, `${settings}\n`)
  const site = join(root, 'apps/site')
  // The documentation says which files `pnpm deploy` copies.
  edit(join(site, 'package.json'), '"private": true,', '"private": true, "files": [".hydrant"],')
  edit(join(site, 'package.json'), '"dependencies": {', '"dependencies": { "@acme/ui": "workspace:*",')
  edit(join(site, 'pages/index.tsx'), /^/, "import { Badge } from '@acme/ui'\n")
  edit(join(site, 'pages/index.tsx'), '<Counter />', '<Counter /><Badge />')
  const { dev } = await runPrinted(t, pnpm, root, output)

  testDev(t, pnpm, { site, dev })

  t.test('a change in another package of the workspace appears', async (t) => {
    const origin = await pnpm.start(t, dev, site)
    t.match(await fetchText(origin), '<b>from the package</b>')
    edit(join(root, 'packages/ui/badge.tsx'), 'from the', 'changed in the')
    await until(async () => (await fetchText(origin)).includes('<b>changed in the package</b>'))
  })

  testStart(t, pnpm, site)
  testDeploy(t, root)
})

function testDeploy(t: Test, root: string) {
  t.test('pnpm deploy makes a folder that serves the site anywhere', async (t) => {
    const deployed = await pnpm.run('pnpm --filter ./apps/site deploy --prod out', root)
    t.ok(deployed.isOk, 'deploy', deployed)
    const image = join(pnpm.folder, 'image')
    cpSync(join(root, 'out'), image, { recursive: true, verbatimSymlinks: true })
    rmSync(root, { recursive: true })
    const origin = await pnpm.start(t, 'node_modules/.bin/hydrant start', image)
    t.match(await fetchText(origin), '<b>changed in the package</b>')
  })
}
