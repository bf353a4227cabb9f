/// <reference lib="dom" />

// Two replicas with different builds behind a load balancer that distributes requests at random.

import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { copyApp } from '../build-app.ts'
import { builtFiles, scriptOf, serve } from '../server/served.ts'
import { createRandom } from '../shared/random.ts'
import { buildSharing } from '../shared-compression.ts'
import { until } from '../until.ts'
import { launchChromium } from './chromium.ts'
import { launchFirefox } from './firefox.ts'

const folder = t.testdir({})

/** Builds the site `builds` with the name of a build in its scripts and its stylesheet. */
async function buildNamed(name: string): Promise<string> {
  const dir = copyApp(t, 'builds', join(folder, name))
  for (const file of ['parts/build.ts', 'pages/layout.css'].map((path) => join(dir, path)))
    writeFileSync(file, readFileSync(file, 'utf8').replace(/\bone\b/, name))
  await buildSharing({ dir })
  return dir
}

const dirs = [await buildNamed('one'), await buildNamed('two')] as const
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
/** The number of the replica for a request. A browser finds an asset in the end, also if it has missed it twelve times. */
function atRandom(path: string): number {
  const asset = path.endsWith('?try=12') && path.slice('/_hydrant/assets/'.length, -'?try=12'.length)
  return asset ? dirs.findIndex((dir) => builtFiles(dir).manifest.clientFiles.includes(asset)) : random.below(2)
}
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
    t.strictSame(open.errors, [], `load ${load}: ${open.errors}`)
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
    'a script that pages share': [scriptOf(dirs[1], 'parts/build.ts')],
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
