import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { marked, navigationHeaders } from '../lines.ts'
import { buildForBrowser, serve } from '../served.ts'

const dir = await buildForBrowser(t.testdir({}), {
  'pages/index.tsx': `import { publicEnv } from 'hydrant/react'
const top = publicEnv.PUBLIC_NAME ?? 'none'
export default () => <p>{top} {JSON.stringify(publicEnv)}</p>
`,
  'pages/index.server.ts': 'export const load = () => 1\n',
  'pages/fails.tsx': "export default function Fails() {\n  throw new Error('fails')\n}\n",
})

t.beforeEach(() => {
  process.env.PUBLIC_NAME = '</script><script>alert(1)</script>\u2028'
  process.env.SECRET_NAME = 'SECRET-MARKER'
  process.env.PUBLICNAME = 'SECRET-MARKER'
})
t.afterEach(() => {
  for (const name of ['PUBLIC_NAME', 'SECRET_NAME', 'PUBLICNAME']) delete process.env[name]
})

t.test('each document has the public variables, and none of the others', async (t) => {
  const { get } = await serve(t, dir)
  const { body } = await get('/')
  t.match(body, '<p>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;')
  t.match(body, '"env":{"PUBLIC_NAME":"\\u003c/script>\\u003cscript>alert(1)\\u003c/script>\\u2028"}')
  const failed = await get('/fails')
  t.equal(failed.statusCode, 500)
  t.match(failed.body, '"PUBLIC_NAME":')
  const json = await get('/', { accept: 'application/json' })
  const navigation = await get(marked('/'), navigationHeaders(dir))
  t.match(navigation.body, '"start"')
  for (const response of [body, failed.body, json.body, navigation.body]) t.notMatch(response, 'SECRET-MARKER')
  const client = join(dir, '.hydrant', 'client')
  for (const file of readdirSync(client))
    t.notMatch(readFileSync(join(client, file), 'utf8'), /SECRET-MARKER|alert\(1\)/)
})

t.test('one build serves every environment', async (t) => {
  process.env.PUBLIC_NAME = 'first'
  t.match((await (await serve(t, dir)).get('/')).body, '"PUBLIC_NAME":"first"')
  delete process.env.PUBLIC_NAME
  const { body } = await (await serve(t, dir)).get('/')
  t.match(body, '<!-- -->{}</p>')
  t.notMatch(body, '"env"', 'a document without public variables does not grow')
})
