// Yarn 4, with packages in node_modules, and with Plug'n'Play.

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createSite, openWorkplace, runPrinted, testChecks, testDev, testStart } from './managers.ts'

// All before the first test: tap ends when it has none to wait for.
const yarn = await openWorkplace(t, 'yarn')
// Yarn keeps the packages of `yarn dlx` in archives, so this also tests that `create` reads its templates there.
const output = await createSite(t, yarn, yarn.folder, 'my-site')
const printed = await runPrinted(t, yarn, yarn.folder, output)
const { site } = printed

t.test('the commands are those of Yarn, and its lockfile is enough', async (t) => {
  t.match(output, '  cd my-site\n  yarn install\n  yarn dev\n')
  t.ok(existsSync(join(site, 'node_modules/hydrant')))
  const locked = await yarn.run(yarn.manager.installLocked, site)
  t.ok(locked.isOk, 'install', locked)
})

testDev(t, yarn, printed)
testStart(t, yarn, site)
testChecks(t, yarn, site)

t.test("with Plug'n'Play, all commands say which setting they need", async (t) => {
  rmSync(join(site, '.yarnrc.yml'))
  rmSync(join(site, 'node_modules'), { recursive: true })
  const installed = await yarn.run('yarn install', site)
  t.ok(installed.isOk, 'install', installed)
  t.ok(existsSync(join(site, '.pnp.cjs')))
  for (const script of ['dev', 'build', 'start', 'typecheck', 'test']) {
    const { isOk, output } = await yarn.run(`yarn ${script}`, site)
    t.notOk(isOk, script)
    t.match(
      output,
      /Error \[HYD_PLUG_AND_PLAY\] .*\n.*Try: Write "nodeLinker: node-modules" into \.yarnrc\.yml/,
      script,
    )
  }
  const docs = await yarn.run('yarn hydrant docs HYD_PLUG_AND_PLAY', site)
  t.ok(docs.isOk, 'what needs no packages works', docs)
})
