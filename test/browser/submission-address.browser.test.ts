/// <reference lib="dom" />

import t from 'tap'
import { buildForBrowser, serve } from '../server/served.ts'
import { launchChromium } from './chromium.ts'

const dir = await buildForBrowser(t.testdir({}), {
  'pages/[...path].tsx': `import { useSubmission } from 'hydrant/react'
export default function Page() {
  const { submit, data, error } = useSubmission()
  return <><button onClick={() => void submit({ text: 'a' })}>send</button><h1>{data ?? error?.message ?? 'none'}</h1></>
}
`,
  'pages/[...path].server.ts':
    'export const action = ({ form, url }) => form.get("text") + " " + url.pathname + url.search\n',
})

t.test('submit() sends to the page, also if its path looks like another host', async (t) => {
  const { app } = await serve(t, dir)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const open = await (await launchChromium(t)).open({}, t)
  for (const path of ['/page?a=1', '//host.example/page?a=1']) {
    await open.goto(`${address}${path}#fragment`, 'load')
    await open.page.getByRole('button').click()
    await open.page.getByRole('heading', { name: `a ${path}`, exact: true }).waitFor()
  }
  t.strictSame(open.errors, [])
})
