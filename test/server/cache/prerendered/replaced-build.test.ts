// A server that runs a build while `hydrant build` puts the next one into the same folder.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { buildFiles, JSON_ONLY, serve } from '../../served.ts'

const OPTIONS = { ledger: false, pageCache: { header: true } } as const

const textPage = (text: string) => `export const prerender = true\nexport default () => <h1>${text}</h1>\n`

t.test('a server renders a page of its build if another build has taken the place of that build', async (t) => {
  const dir = await buildFiles(t.testdir({}), { 'pages/pricing.tsx': textPage('Pricing') })
  const first = await serve(t, dir, OPTIONS)
  await buildFiles(dir, { 'pages/imprint.tsx': textPage('Imprint') })
  const response = await first.get('/pricing')
  t.match(response.body, '<h1>Pricing</h1>', 'a page was added before it')
  t.equal(response.headers['hydrant-cache'], 'miss')
  t.match(
    first.log.lines.find(({ level }) => level === 40),
    { route: '/pricing', msg: /a prerendered page cannot be read, so it is rendered: / },
  )
  t.strictSame(first.log.errors(), [])
  t.equal((await first.get('/pricing')).headers['hydrant-cache'], 'hit')

  const second = await serve(t, dir, OPTIONS)
  await buildFiles(dir, { 'pages/imprint.tsx': textPage('Legal notice') })
  const { body } = await second.get('/imprint')
  t.match(body, '<h1>Imprint</h1>', 'only its text was changed')
  t.notMatch(body, 'prerendered.invalid')

  const third = await serve(t, dir, OPTIONS)
  const { body: newBody, headers } = await third.get('/imprint')
  t.match(newBody, '<h1>Legal notice</h1>')
  t.equal(headers['hydrant-cache'], 'hit')
})

t.test('a build of the same code that lists other addresses does not exchange the pages', async (t) => {
  const dir = t.testdir({ 'ids.json': '["7"]' })
  await buildFiles(dir, {
    'pages/news/[id].tsx': 'export default ({ data }) => <p>{data.id}</p>\n',
    'pages/news/[id].server.ts': `import { readFileSync } from 'node:fs'
const file = ${JSON.stringify(join(dir, 'ids.json'))}
export const prerender = () => JSON.parse(readFileSync(file, 'utf8')).map((id) => ({ params: { id } }))
export const load = ({ params }) => ({ id: params.id })
`,
  })
  const { get } = await serve(t, dir, OPTIONS)
  writeFileSync(join(dir, 'ids.json'), '["6", "7"]')
  await buildFiles(dir, {})
  t.equal((await get('/news/7', JSON_ONLY)).json().id, '7')
  t.match((await get('/news/7')).body, '<p>7</p>')
})
