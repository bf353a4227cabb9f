/// <reference lib="dom" />

// Two visitors of two replicas behind nginx, with one Valkey or Redis: what one of them changes, the other one sees, also while
// another build is deployed.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { launchChromium, type OpenPage } from '../browser/chromium.ts'
import { startRedis } from '../redis.ts'
import { buildForBrowser, type Files } from '../server/served.ts'
import { type SiteServer, startSite } from '../site-server.ts'
import { until } from '../until.ts'
import { startBalancer } from './nginx.ts'

/** No other test uses this address, so that a replica gets its port again. */
const HOST = '127.0.0.3'
const EDITS = 50
/** The edits before and after the deployment. The others are made while it runs. */
const CALM = 15

const folder = t.testdir({ 'texts.txt': '' })
const texts = join(folder, 'texts.txt')

const filesOf = (build: string): Files => ({
  'pages/index.tsx': `
export default ({ data }) => (
  <>
    <h1>Build ${build}</h1>
    <ol>{data.map((text) => <li key={text}>{text}</li>)}</ol>
    <form method="post"><input name="text" id="text" /><button id="send">Send</button></form>
  </>
)
`,
  'pages/index.server.ts': `
import { appendFileSync, readFileSync } from 'node:fs'
const file = process.env.TEXTS
export const live = () => ['texts']
export const load = () => readFileSync(file, 'utf8').split('\\n').slice(0, -1)
export const action = async ({ form, app }) => {
  appendFileSync(file, form.get('text') + '\\n')
  await app.live.publish('texts')
}
`,
})

const builds = {
  one: await buildForBrowser(join(folder, 'one'), filesOf('one')),
  two: await buildForBrowser(join(folder, 'two'), filesOf('two')),
}
const redis = await startRedis(t)

const start = (build: keyof typeof builds, port?: number): Promise<SiteServer> =>
  startSite(t, {
    dir: builds[build],
    env: { HOST, TEXTS: texts, HYDRANT_PAGE_CACHE_STORE: redis.url },
    ...(port !== undefined && { port }),
  })

/** Notes when the page shows each text, also over several documents. */
function noteTimes() {
  const seen: Record<string, number> = JSON.parse(sessionStorage.getItem('seen') ?? '{}')
  new MutationObserver(() => {
    for (const { textContent } of document.querySelectorAll('li')) seen[textContent ?? ''] ??= Date.now()
    sessionStorage.setItem('seen', JSON.stringify(seen))
  }).observe(document, { childList: true, subtree: true, characterData: true })
}

async function openPage(origin: string): Promise<OpenPage> {
  const open = await chromium.open({}, t)
  await open.page.addInitScript(noteTimes)
  await open.goto(origin, 'load')
  await open.hydrated()
  return open
}

const chromium = await launchChromium(t)

t.test('every edit reaches the other visitor, also during a deployment', { timeout: 580_000 }, async (t) => {
  const replicas = [await start('one'), await start('one')] as const
  const port = await startBalancer(
    t,
    replicas.map(({ port }) => `${HOST}:${port}`),
  )
  const origin = `http://127.0.0.1:${port}`
  const editor = await openPage(origin)
  const reader = await openPage(origin)
  const sent = new Map<string, number>()

  async function edit() {
    const text = `edit ${sent.size + 1}`
    const at = await until(() =>
      editor
        .evaluate((text) => {
          const field = document.querySelector<HTMLInputElement>('#text')
          // The document may be loading, also since this function has run.
          if (!field?.form || document.readyState !== 'complete') return 0
          const known = sessionStorage.getItem(text)
          if (known) return Number(known)
          const now = Date.now()
          sessionStorage.setItem(text, String(now))
          field.value = text
          field.form.requestSubmit()
          return now
        }, text)
        .catch(() => 0),
    )
    sent.set(text, at)
    await editor.hasText('li', new RegExp(`^${text}$`))
    await reader.hasText('li', new RegExp(`^${text}$`))
  }

  async function deploy() {
    for (const replica of replicas) {
      await replica.stop()
      await start('two', replica.port)
      // The next one stops only when nginx uses this one again.
      await until(async () => (await (await fetch(origin)).text()).includes('Build two'))
    }
  }

  while (sent.size < CALM) await edit()
  let isDeployed = false
  const deployed = deploy().then(() => {
    isDeployed = true
  })
  while (!isDeployed) await edit()
  await deployed
  const during = sent.size - CALM
  t.ok(during > 0)
  while (sent.size < EDITS || sent.size < CALM * 2 + during) await edit()
  t.strictSame(readFileSync(texts, 'utf8').split('\n').slice(0, -1), [...sent.keys()], 'none is lost or made twice')
  for (const open of [editor, reader]) {
    await open.hasText('h1', 'Build two')
    t.strictSame(open.errors, [])
  }
  const seen: Record<string, number> = await reader.evaluate(
    () => JSON.parse(sessionStorage.getItem('seen') ?? ''),
    null,
  )
  const delays = [...sent].map(([text, at]) => Number(seen[text]) - at)
  const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]
  t.comment(`${delays.length} edits, ${during} of them during the deployment: median ${median(delays)} ms`)
  t.comment(
    `without it ${median([...delays.slice(0, CALM), ...delays.slice(CALM + during)])} ms, slowest ${Math.max(...delays)} ms`,
  )
})
