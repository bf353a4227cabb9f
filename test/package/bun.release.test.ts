// Bun as a package manager. Node.js runs Hydrant.

import t from 'tap'
import { createSite, openWorkplace, runPrinted, testChecks, testDev, testStart } from './managers.ts'

// All before the first test: tap ends when it has none to wait for.
const bun = await openWorkplace(t, 'bun')
const output = await createSite(t, bun, bun.folder, 'my-site')
const printed = await runPrinted(t, bun, bun.folder, output)

t.test('the commands are those of Bun, and its lockfile is enough', async (t) => {
  t.match(output, '  cd my-site\n  bun install\n  bun run dev\n')
  const locked = await bun.run(bun.manager.installLocked, printed.site)
  t.ok(locked.isOk, 'install', locked)
})

testDev(t, bun, printed)
testStart(t, bun, printed.site)
testChecks(t, bun, printed.site)
