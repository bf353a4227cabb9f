/// <reference lib="dom" />

// Two replicas with different builds behind a load balancer that distributes requests at random.

import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { buildForBrowser, builtFiles, scriptOf, serve } from '../server/served.ts'
import { createRandom } from '../shared/random.ts'
import { until } from '../until.ts'
import { launchChromium } from './chromium.ts'
import { launchFirefox } from './firefox.ts'

const filesOf = (build: string) => ({
  // Changes the script that all pages share.
  'hydrant.config.ts': `import { readFileSync } from 'node:fs'
const mark = {
  name: 'mark',
  setup(build) {
    build.onLoad({ filter: /react-dom-client\\.production\\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8') + '\\nglobalThis.buildOfEntry = "${build}"\\n',
    }))
  },
}
export default { esbuild: { plugins: [mark] } }
`,
  // A call, as esbuild would copy a text into each script.
  'parts/shared.ts': `export const build = String('${build}').trim()\n`,
  'parts/lazy.tsx': `import { useState } from 'react'
import { build } from './shared.ts'
export default function Lazy() {
  const [count, setCount] = useState(0)
  return <button id="lazy" onClick={() => setCount(count + 1)}>{build} lazy {count}</button>
}
`,
  'parts/work.ts': `import { build } from './shared.ts'\nself.onmessage = () => self.postMessage('worker ' + build)\n`,
  'pages/layout.css': `body { --build: ${build} }\n`,
  'pages/layout.tsx': `import './layout.css'
import { build } from '../parts/shared.ts'
export default function Layout({ children }) {
  return <html lang="en"><head><title>{build}</title></head><body>{children}<a href="/other">other</a></body></html>
}
`,
  'pages/index.tsx': `import { lazy, Suspense, useEffect, useState } from 'react'
import { build } from '../parts/shared.ts'
const Lazy = lazy(() => import('../parts/lazy.tsx'))
export default function Page() {
  const [count, setCount] = useState(0)
  const [work, setWork] = useState('')
  useEffect(() => {
    const worker = new Worker(new URL('../parts/work.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }) => setWork(data)
    worker.postMessage('')
    return () => worker.terminate()
  }, [])
  return (
    <main>
      <button id="count" onClick={() => setCount(count + 1)}>{build} {count}</button>
      <p id="work">{work}</p>
      <Suspense fallback="wait"><Lazy /></Suspense>
    </main>
  )
}
`,
  'pages/other.tsx': `import { build } from '../parts/shared.ts'\nexport default () => <h1>Other {build}</h1>\n`,
})

const folder = t.testdir({})
const dirs = [
  await buildForBrowser(join(folder, 'one'), filesOf('one')),
  await buildForBrowser(join(folder, 'two'), filesOf('two')),
] as const
const replicas: number[] = []
for (const dir of dirs) {
  const { app } = await serve(t, dir)
  await app.listen({ port: 0, host: '127.0.0.1' })
  // The cast is safe because the server listens on TCP.
  replicas.push((app.server.address() as AddressInfo).port)
}
const random = createRandom(7)
/** Returns the number of the replica for a request. */
let choose: (path: string) => number
const atRandom = () => random.below(2)
const isDocument = (path: string) => !path.startsWith('/_hydrant/')
const asked: string[] = []

const balancer = createServer((incoming, outgoing) => {
  const { method, url = '', headers } = incoming
  asked.push(url)
  const options = { host: '127.0.0.1', port: replicas[choose(url)], method, path: url, headers }
  const sent = request(options, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers)
    response.pipe(outgoing)
  })
  sent.on('error', () => outgoing.destroy())
  incoming.pipe(sent)
})
balancer.listen(0, '127.0.0.1')
await once(balancer, 'listening')
t.teardown(() => {
  balancer.closeAllConnections()
  balancer.close()
})
const origin = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`

const chromium = await launchChromium(t)
const LOADS = 25

t.test('each page that is loaded during a rollout becomes interactive, with all of its scripts', async (t) => {
  choose = atRandom
  asked.length = 0
  for (let load = 0; load < LOADS; load++) {
    // With a cache of its own.
    const open = await chromium.open({}, t)
    await open.goto(origin, 'commit')
    await open.hasText('#work', /^worker (?:one|two)$/)
    await open.hydrated()
    await open.click('#count')
    await open.hasText('#count', / 1$/)
    await open.click('#lazy')
    await open.hasText('#lazy', /lazy 1$/)
    t.strictSame(open.errors, [])
    await open.click('a')
    await open.hasText('h1', /^Other (?:one|two)$/)
    await open.page.context().close()
  }
  const again = asked.filter((path) => path.endsWith('?try=1'))
  t.ok(again.length > LOADS, `${again.length} assets were first asked of the other build`)
  const { entry } = builtFiles(dirs[0]).manifest
  t.ok(
    again.some((path) => path.includes(entry)),
    'the script that all pages share too',
  )
})

t.test('so it is in a browser that keeps failed imports', async (t) => {
  choose = atRandom
  const firefox = await launchFirefox(t)
  for (let load = 0; load < 5; load++) {
    await firefox.goto(`${origin}/?${load}`)
    await firefox.shows('#work', 'worker')
    await firefox.hydrated()
    await firefox.shows('#lazy', 'lazy 0')
    await firefox.click('#lazy')
    await firefox.shows('#lazy', 'lazy 1')
  }
})

t.test('a page whose own scripts no replica has is loaded again, once', async (t) => {
  for (const [missing, scripts] of Object.entries({
    entry: [builtFiles(dirs[1]).manifest.entry],
    'the module of the page': [scriptOf(dirs[1], 'pages/index.tsx')],
    'a script that pages share': [scriptOf(dirs[1], 'parts/shared.ts')],
  })) {
    let documents = 0
    const isMissing = (path: string) => scripts.some((name) => path.includes(name))
    choose = (path) => {
      if (path === '/') documents++
      // The replica with the new build is gone after the first document.
      return (isDocument(path) && documents === 1) || (documents === 1 && !isMissing(path)) ? 1 : 0
    }
    const open = await chromium.open({}, t)
    await open.goto(origin, 'commit')
    await open.hasText('#count', 'one 0')
    await open.hydrated()
    await open.click('#count')
    await open.hasText('#count', 'one 1')
    t.equal(documents, 2, missing)

    documents = 0
    choose = (path) => {
      if (path === '/') documents++
      return isMissing(path) ? 0 : 1
    }
    asked.length = 0
    await open.goto(origin, 'load')
    await until(() => documents === 2 && asked.filter((path) => path.endsWith('?try=12')).length >= 2)
    await open.page.waitForLoadState('load')
    await open.click('a')
    await open.hasText('h1', 'Other two')
    t.equal(documents, 2, `${missing}: and then stays as the server has sent it`)
    await open.page.context().close()
  }
})
