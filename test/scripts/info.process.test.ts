import { chmodSync } from 'node:fs'
import t from 'tap'
import { AS_PLAIN_USER } from '../plain-user.ts'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'
import { runCli } from './run-cli.ts'

t.test('reads the configuration of the build where nothing can be written', async (t) => {
  const dir = createSite(t, { 'hydrant.config.ts': 'export default { workers: 3 }\n' })
  const info = async () => {
    chmodSync(dir, 0o555)
    const { stdout } = await runCli(['info', dir, '--json'], { under: AS_PLAIN_USER })
    chmodSync(dir, 0o755)
    return JSON.parse(stdout)
  }
  t.match(await info(), { site: { configuration: 'hydrant.config.ts cannot be compiled here' } })
  await buildSharing({ dir })
  t.match(await info(), { site: { configuration: 'from the build' }, options: { workers: '3' } })
})
