// A failure names the line of the site's file, which only a build knows.

import t from 'tap'
import { buildFiles, HTML, serve } from '../served.ts'

const page = 'export default function Page() {\n  return <p>page</p>\n}\n'
const dir = await buildFiles(t.testdir({}), {
  'pages/repeats.tsx': page,
  'pages/repeats.server.ts':
    "export const action = ({ form }) => {\n  throw new Error('no user with ' + form.get('password'))\n}\n",
  'pages/getter.tsx': page,
  'pages/getter.server.ts':
    "export const load = () => ({\n  cart: {\n    get total() {\n      throw new Error('no total')\n    },\n  },\n})\n",
})
const { app, get, failuresOf } = await serve(t, dir)

t.test('an action names its line, whatever was sent', async (t) => {
  const headers = { ...HTML, 'content-type': 'application/x-www-form-urlencoded' }
  for (const payload of ['password=hunter2', 'password=hunter22&file=pages%2Frepeats']) {
    const response = await app.inject({ method: 'POST', url: '/repeats', payload, headers })
    const [failure] = failuresOf(response)
    t.match(failure?.err, { message: 'no user with [hidden]', stack: 'pages/repeats.server.ts:2:' })
  }
})

t.test('data that cannot be serialized names the line in its cause', async (t) => {
  const [failure] = failuresOf(await get('/getter'))
  t.match(failure?.err?.message, 'load of pages/getter.server.ts returned data')
  t.match(failure?.err?.cause, { message: 'no total', stack: 'pages/getter.server.ts:4:' })
})
