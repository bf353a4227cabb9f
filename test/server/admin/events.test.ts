import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import t from 'tap'
import { createLedgerChanges } from '../../../src/server/admin/api.ts'
import { failureOf, type ServedAdmin, serveAdmin } from './served-admin.ts'

interface Listener {
  status: number
  contentType: string | undefined
  /** Resolves when the text has arrived. */
  heard(text: string): Promise<void>
  stop(): void
}

async function listen(t: { teardown(work: () => void): void }, { port }: ServedAdmin): Promise<Listener> {
  const outgoing = request({ host: '127.0.0.1', port, path: '/api/events', headers: { host: `127.0.0.1:${port}` } })
  t.teardown(() => outgoing.destroy())
  outgoing.on('error', () => {})
  outgoing.end()
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  let text = ''
  incoming.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  incoming.on('error', () => {})
  return {
    status: incoming.statusCode ?? 0,
    contentType: incoming.headers['content-type'],
    async heard(wanted) {
      while (!text.includes(wanted)) await once(incoming, 'data')
      text = ''
    },
    stop: () => outgoing.destroy(),
  }
}

t.test('announces that the ledger has changed', async (t) => {
  const admin = await serveAdmin(t)
  const listener = await listen(t, admin)
  t.equal(listener.status, 200)
  t.equal(listener.contentType, 'text/event-stream; charset=utf-8')
  await listener.heard('retry: ')
  await admin.keep(failureOf('7K2M9QX4-000001'))
  await listener.heard('event: changed\n')
  await admin.ask('/api/failures/7K2M9QX4/solve', {}, 'POST')
  await listener.heard('event: changed\n')
})

t.test('at most fifty clients listen at once, and a client that disconnects frees a place', async (t) => {
  const admin = await serveAdmin(t)
  const listeners = await Promise.all(Array.from({ length: 50 }, () => listen(t, admin)))
  t.equal((await listen(t, admin)).status, 503)
  listeners[0]?.stop()
  let status = 503
  while (status === 503) status = (await listen(t, admin)).status
  t.equal(status, 200)
})

t.test('checks only while a client listens, and notifies the remaining clients', async (t) => {
  let looked = 0
  let lastSeen = 1
  const changes = createLedgerChanges(
    {
      async list() {
        looked++
        if (looked === 2) throw new Error('not now')
        return [{ ...(await summary()), lastSeen }]
      },
    },
    1,
  )
  t.teardown(() => changes.close())
  changes.check()
  t.equal(looked, 0)
  // Keeps the process running, because the timers of `createLedgerChanges` do not.
  const alive = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(alive))
  await new Promise<void>((resolve) => {
    const stop = changes.listen(() => {
      stop()
      resolve()
    })
    // Reports no old changes, only new ones.
    setTimeout(() => {
      lastSeen = 2
    }, 20)
  })
  t.ok(looked >= 3, 'also after it could not be read')
  const before = looked
  changes.check()
  t.equal(looked, before, 'without listeners')
})

t.test('announces when an unavailable ledger is back, even if it has not changed', async (t) => {
  let looked = 0
  const list = async () => {
    if (++looked <= 3) throw new Error('not now')
    return [await summary()]
  }
  const changes = createLedgerChanges({ list }, 1)
  t.teardown(() => changes.close())
  const alive = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(alive))
  await new Promise<void>((resolve) => void changes.listen(resolve))
  t.equal(looked, 4)
})

async function summary() {
  const { createMemoryLedger } = await import('../../../src/server/ledger/memory-ledger.ts')
  const { toEntry: entryOf } = await import('../../../src/server/ledger/entries.ts')
  const ledger = createMemoryLedger({ maxFailures: 1, maxOccurrences: 1, maxAgeMs: 1e9, maxBytes: 1e6 })
  await ledger.record([entryOf(failureOf('7K2M9QX4-000001'))])
  const [found] = await ledger.list({})
  if (!found) throw new Error('It was not kept.')
  return found
}
