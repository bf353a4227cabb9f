// The admin listener around a ledger in memory that a test fills.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import type { Test } from 'tap'
import { createCacheSource } from '../../../src/server/admin/cache-report.ts'
import { startAdmin } from '../../../src/server/admin/start-admin.ts'
import type { ServedBuild } from '../../../src/server/build-output/build-copy.ts'
import type { SiteCache } from '../../../src/server/cache/app-page-cache.ts'
import type { FailureRecord, SourceFrame } from '../../../src/server/errors/failure-record.ts'
import { createFailureStore, type FailureStore } from '../../../src/server/ledger/failure-store.ts'
import type { MetricsRecorder } from '../../../src/server/metrics/metrics-recorder.ts'
import { createRequestMetrics } from '../../../src/server/metrics/request-metrics.ts'
import { resolveOptions } from '../../../src/server/options/resolve-options.ts'
import { createHttpClient, type HttpAnswer } from '../../http-client.ts'
import { createLog, type Log } from '../served.ts'

export interface ServedAdmin {
  port: number
  origin: string
  store: FailureStore
  recorder: MetricsRecorder
  log: Log
  /** The builds that processes serve, which a test may change. */
  served: ServedBuild[]
  /** Adds failures and waits until they are written. */
  keep(...failures: FailureRecord[]): Promise<void>
  /** Sends a request as a script does, from this machine. */
  ask(path: string, headers?: Record<string, string>, method?: string): Promise<HttpAnswer>
  /** Closes the listener before the test ends. */
  close(): Promise<void>
}

export interface AdminTestOptions {
  token?: string
  readToken?: string
  /** The ledger of the site (a file of its own). */
  ledger?: string
  host?: string
  /** The page caches of the site (none). */
  caches?: readonly SiteCache[]
  /** Whether the site has a ledger (true). */
  hasLedger?: boolean
}

export async function serveAdmin(
  t: Pick<Test, 'teardown'>,
  { token = '', readToken = '', host = '127.0.0.1', hasLedger = true, ledger, caches = [] }: AdminTestOptions = {},
): Promise<ServedAdmin> {
  const log = createLog()
  const app = Fastify({ logger: log.logger })
  const folder = mkdtempSync(join(tmpdir(), 'hydrant-admin-'))
  const options = resolveOptions({ env: hasLedger ? { HYDRANT_LEDGER: ledger } : { HYDRANT_LEDGER: 'false' } })
  const store = createFailureStore(folder, options, app.log)
  const served = [{ release: '1.4.0', build: 'B1' }]
  const { recorder, countFailure, read } = createRequestMetrics()
  store.subscribe(countFailure)
  const listener = await startAdmin({
    admin: { host, port: 0, token, readToken },
    store,
    metricsSource: {
      counts: async () => read(),
      processes: null,
      served: () => served,
      workersLost: () => 0,
      lastReload: () => null,
    },
    cacheSource: createCacheSource(caches),
    options,
    log: app.log,
  })
  t.teardown(async () => {
    await listener.close()
    await store.close()
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const { port } = listener
  const client = createHttpClient(t)
  return {
    served,
    port,
    close: listener.close,
    origin: `http://127.0.0.1:${port}`,
    store,
    recorder,
    log,
    async keep(...failures) {
      for (const failure of failures) store.add(failure)
      await store.writer.flush()
    },
    ask: (path, headers = {}, method = 'GET') =>
      client.send({ port, path, method, headers: { host: `127.0.0.1:${port}`, ...headers } }),
  }
}

const FRAME: SourceFrame = {
  file: 'pages/products/[id].server.ts',
  line: 12,
  column: 9,
  function: 'load',
  isSite: true,
  code: {
    firstLine: 10,
    lines: [
      'export async function load({ params }) {',
      '  const product = await find(params.id)',
      '  return { price: product.price.net }',
      '}',
    ],
  },
}
const OUTSIDE: SourceFrame = {
  file: 'node:internal/process/task_queues',
  line: 105,
  column: 5,
  function: 'processTicksAndRejections',
  isSite: false,
}

/** Returns a failure on the server with the properties of `more`. */
export function failureOf(digest: string, more: Partial<FailureRecord> = {}): FailureRecord {
  const message = more.message ?? `Cannot read properties of undefined (reading 'net')`
  return {
    digest,
    fingerprint: digest.slice(0, 8),
    side: 'server',
    time: Date.now(),
    phase: 'load',
    message,
    error: { type: 'TypeError', message, stack: [FRAME, OUTSIDE] },
    route: '/products/[id]',
    method: 'GET',
    path: '/products/7',
    host: 'shop.example',
    requestId: 'REQ-1',
    release: '1.0.0',
    userAgent: 'browser',
    statusSent: 500,
    isRecovered: false,
    build: 'B1',
    replica: 'web-1',
    worker: '2',
    pid: 4711,
    ...more,
  }
}
