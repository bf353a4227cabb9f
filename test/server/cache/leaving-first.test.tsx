// The first client of a cached page leaves, and others wait for the page.

import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import type { SharedStore } from '../../../src/server/cache/shared/shared-store.ts'
import { type TestSiteOptions, testSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { createGates, listen } from '../lines.ts'
import { HTML } from '../served.ts'

const { gate, count, counts } = createGates()

/** Waits at the gate of a page, the first time that it is called for the page. */
async function waitOnce(name: string) {
  count(`${name} waits`)
  if (counts[`${name} waits`] !== 1) return
  gate(name).arrive()
  await gate(name).opened
}
const schema = (name: string) => ({
  '~standard': {
    version: 1,
    vendor: 'test',
    async validate(value: unknown) {
      await waitOnce(name)
      return { value }
    },
  },
})
const load = (name: string) => async () => {
  count(name)
  return { text: 'page' }
}

/** Exports of a page by the step in which its first client leaves. */
const STEPS = {
  params: { params: schema('params'), load: load('params') },
  search: { search: schema('search'), load: load('search') },
  load: {
    async load() {
      count('load')
      await waitOnce('load')
      return { text: 'page' }
    },
  },
  deferred: {
    load() {
      count('deferred')
      return { text: 'page', late: waitOnce('deferred') }
    },
  },
  shell: { search: schema('shell'), loadVisitor: () => null, load: load('shell') },
}

/** Those whose first client leaves after the guards, during the render of another process. */
const WAITS = {
  guarded: { guard() {}, load: load('guarded') },
  guardedShell: { guard() {}, loadVisitor: () => null, load: load('guardedShell') },
}

/** Creates a store in which another process renders each page first, and stores nothing. */
function createBusyStore(): SharedStore {
  const given = new Set<string>()
  return {
    get: async () => null,
    versions: async () => ({ epoch: 'epoch', sequence: 0 }),
    async set() {},
    lease: async (key) => given.size === given.add(key).size,
    async release() {},
    async awaitEntry(key) {
      await waitOnce(/(\w+)\/7$/.exec(key)?.[1] ?? key)
      return null
    },
    invalidate: async () => true,
    clear: async () => true,
    onInvalidate() {},
    seen: () => null,
    measure() {},
    async close() {},
  }
}

const Component = ({ data }: { data?: { text: string } }) => <p>{data?.text}</p>
const site = Object.fromEntries(
  Object.entries({ ...STEPS, ...WAITS }).map(([name, exports]) => [
    `/${name}/[id]`,
    { Component, cache: { maxAgeS: 60 }, ...exports },
  ]),
)

/** Lets the first client of each page leave while the page is made, and ten others wait for it. */
async function leaveFirst(t: Test, names: readonly string[], options: TestSiteOptions = {}) {
  const { app } = await testSite(t, site, { ledger: false, ...options })
  const origin = await listen(t, app)
  const arrived: ServerResponse[] = []
  app.server.on('request', (_, response) => void arrived.push(response))
  for (const name of names) {
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
    const texts = await Promise.all(responses.map((response) => response.text()))
    t.strictSame(
      {
        statuses: [...new Set(responses.map(({ status }) => status))],
        pages: texts.filter((text) => text.includes('<p>page</p>')).length,
        loads: counts[name],
      },
      { statuses: [200], pages: 10, loads: 1 },
      name,
    )
  }
}

t.test('the page is rendered once for those who wait, in whichever step its first client leaves', (t) =>
  leaveFirst(t, Object.keys(STEPS)),
)

t.test(
  'the page is rendered once for those who wait, if its first client leaves while another process renders it',
  (t) => leaveFirst(t, Object.keys(WAITS), { openCacheStore: async () => createBusyStore() }),
)
