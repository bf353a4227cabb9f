// A site whose page fails, with the given ledger.

import type { Test } from 'tap'
import { createInstance } from '../../../src/server/create-server.ts'
import type { Ledger } from '../../../src/server/ledger/ledger.ts'
import type { WriterStats } from '../../../src/server/ledger/ledger-writer.ts'
import { resolveOptions } from '../../../src/server/options/resolve-options.ts'
import type { LogLine } from '../../site-server.ts'
import { writeTestSite } from '../../test-site.ts'
import { until } from '../../until.ts'
import { builtFiles, createLog, HTML } from '../served.ts'

const WARN = 40

export interface FailingSite {
  dir: string
  ledger: Ledger
  stats(): WriterStats
  /** Requests the page `count` times, and checks the response and the log line. */
  fail(t: Test, times: number): Promise<void>
  /** Resolves when the ledger has counted that many failures. */
  counted(times: number): Promise<void>
  /** Warnings about the ledger. */
  warnings(): LogLine[]
  lines: LogLine[]
  close(): Promise<void>
}

export async function serveFailingSite(t: Test, ledger: string | false, dir = t.testdir({})): Promise<FailingSite> {
  function load() {
    throw new Error('no price')
  }
  writeTestSite(dir, { '/': { load } })
  const log = createLog()
  const options = resolveOptions({ given: { ledger } })
  const { app, store } = await createInstance({
    ...{ dir, ...builtFiles(dir), options, logging: { logger: log.logger } },
  })
  let isClosed = false
  async function close() {
    if (!isClosed) await app.close()
    isClosed = true
  }
  t.teardown(close)
  return {
    dir,
    ledger: store.ledger,
    stats: store.writer.stats,
    async fail(t, times) {
      for (let time = 0; time < times; time++) {
        const answer = await app.inject({ url: '/', headers: HTML })
        const digest = String(answer.headers['x-error-digest'])
        t.equal(answer.statusCode, 500)
        t.match(answer.body, digest)
        t.equal(log.errors().filter((line) => line.digest === digest).length, 1, 'one line in the log')
      }
    },
    async counted(times) {
      await until(async () => (await store.ledger.list({}).catch(() => []))[0]?.count === times)
    },
    warnings: () => log.lines.filter(({ level, msg }) => level === WARN && /ledger|failures/.test(msg)),
    lines: log.lines,
    close,
  }
}
