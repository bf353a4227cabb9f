// The first client of a cached page leaves, and others wait for the page.

import type { ServerResponse } from 'node:http'
import t from 'tap'
import { until } from '../../until.ts'
import { GATES, gatesOfLast, listen } from '../lines.ts'
import { buildFiles, HTML, serve } from '../served.ts'

/** Code that waits at the gate of its page, the first time that it runs. */
const wait = (name: string) => `
const waitOnce = async () => {
  const { gate, counts } = globalThis.hydrantGated
  counts['${name} waits'] = (counts['${name} waits'] ?? 0) + 1
  if (counts['${name} waits'] > 1) return
  gate('${name}').arrive()
  await gate('${name}').opened
}
`
const schema = (name: string) =>
  `export const ${name} = { '~standard': { version: 1, vendor: 'test', validate: async (value) => { await waitOnce(); return { value } } } }`
const load = (name: string, body = '') =>
  `export const load = async ({ app }) => { app.count('${name}'); ${body} return { text: 'page' } }`

/** Code of a page by the step in which its first client leaves. */
const STEPS: Record<string, string> = {
  params: `${schema('params')}\n${load('params')}`,
  search: `${schema('search')}\n${load('search')}`,
  load: load('load', 'await waitOnce();'),
  deferred: `export const load = ({ app }) => { app.count('deferred'); return { text: 'page', late: waitOnce() } }`,
  shell: `${schema('search')}\nexport const loadVisitor = () => null\n${load('shell')}`,
}

const dir = await buildFiles(t.testdir({}), {
  'server.ts': `export default async function plugin(app) {\n${GATES}}\n`,
  ...Object.fromEntries(
    Object.entries(STEPS).flatMap(([name, server]) => [
      [`pages/${name}/[id].tsx`, 'export default ({ data }) => <p>{data.text}</p>\n'],
      [`pages/${name}/[id].server.ts`, `export const cache = { maxAgeS: 60 }\n${wait(name)}${server}\n`],
    ]),
  ),
})

t.test('the page is rendered once for those who wait, in whichever step its first client leaves', async (t) => {
  const { app } = await serve(t, dir, { ledger: false })
  const origin = await listen(t, app)
  const { gate, counts } = gatesOfLast()
  const arrived: ServerResponse[] = []
  app.server.on('request', (_, response) => void arrived.push(response))
  for (const name of Object.keys(STEPS)) {
    arrived.length = 0
    const url = `/${name}/7`
    const leaving = new AbortController()
    const first = fetch(origin + url, { headers: HTML, signal: leaving.signal }).catch(() => null)
    await gate(name).reached
    leaving.abort()
    await first
    await until(() => arrived[0]?.closed)
    const waiting = Array.from({ length: 10 }, () => fetch(origin + url, { headers: HTML }))
    await until(() => arrived.length === 11)
    gate(name).open()
    const responses = await Promise.all(waiting)
    t.strictSame(
      { statuses: [...new Set(responses.map(({ status }) => status))], loads: counts[name] },
      { statuses: [200], loads: 1 },
      name,
    )
  }
})
