import t from 'tap'
import { createSite } from './create-site.ts'
import { runCli, startCli } from './run-cli.ts'

t.test('hydrant start reads the files', async (t) => {
  const dir = createSite(t, {
    'pages/index.tsx': 'export default () => <p>page</p>\n',
    'pages/index.server.ts': 'export const load = () => process.env.SHOP_NAME\n',
    '.env': 'SHOP_NAME=Seven Seas\n',
  })
  t.match(await runCli(['build', dir]), { code: 0 })
  const server = startCli(t, ['start', dir, '--port', '0', '--admin', 'false'])
  const [, url = ''] = await server.waitFor(/(http:\/\/127\.0\.0\.1:\d+)/)
  t.equal(await (await fetch(url, { headers: { accept: 'application/json' } })).json(), 'Seven Seas')
})
