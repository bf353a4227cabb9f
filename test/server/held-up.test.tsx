// A process that was blocked, by any code that ran in it, finds that deadlines have expired meanwhile.

import { stat } from 'node:fs'
import { Suspense, use } from 'react'
import t from 'tap'
import { navigationHeaders, testSite } from '../test-site.ts'
import { marked } from './lines.ts'
import { JSON_ONLY } from './served.ts'

function hold() {
  const until = performance.now() + 150
  while (performance.now() < until);
}
const Part = ({ of }: { of: Promise<string> }) => <b>{use(of)}</b>
const site = {
  '/load': {
    Component: ({ data }: { data: { text: string } }) => <p>{data.text}</p>,
    load: () =>
      new Promise((resolve) => {
        stat(process.execPath, () => resolve({ text: 'is there' }))
        hold()
      }),
  },
  '/deferred': {
    Component: ({ data }: { data: { part: Promise<string> } }) => (
      <main>
        <Suspense fallback="waits">
          <Part of={data.part} />
        </Suspense>
      </main>
    ),
    load() {
      setImmediate(hold)
      return { part: new Promise((resolve) => setTimeout(resolve, 20, 'is there')) }
    },
  },
}
const deadlines = { loadMs: 60, renderMs: 60 }
const { get, log } = await testSite(t, site, { ledger: false, timeouts: deadlines })

t.test('data that was ready in time is not a failure', async (t) => {
  for (const path of ['/load', '/deferred']) {
    for (const headers of [undefined, JSON_ONLY]) {
      const { statusCode, body } = await get(path, headers)
      t.equal(statusCode, 200, path)
      t.match(body, 'is there')
    }
    const { body } = await get(marked(path), navigationHeaders())
    t.match(body, 'is there')
  }
  t.strictSame(log.errors(), [])
})
