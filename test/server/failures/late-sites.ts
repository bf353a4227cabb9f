// A server and an app whose responses may end in the middle.

import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type { Test } from 'tap'
import { createInstance } from '../../../src/server/create-server.ts'
import { type FailureRecord, hydrant } from '../../../src/server/index.ts'
import { createRequestMetrics } from '../../../src/server/metrics/request-metrics.ts'
import { resolveOptions } from '../../../src/server/options/resolve-options.ts'
import { until } from '../../until.ts'
import { builtFiles, createLog, type Log } from '../served.ts'

export interface Site {
  port: number
  log: Log
  records: FailureRecord[]
  /** Returns the number of failures in the metrics. */
  count(): Promise<number>
}

async function listen(t: Test, app: FastifyInstance): Promise<number> {
  t.teardown(() => app.close())
  await app.listen({ port: 0, host: '127.0.0.1' })
  return (app.server.address() as AddressInfo).port
}

/** Serves a site as `hydrant start` does. */
export async function serveAlone(t: Test, dir: string): Promise<Site> {
  const log = createLog()
  const { recorder, countFailure, read } = createRequestMetrics()
  const records: FailureRecord[] = []
  const config = { logRequests: true, onFailure: (failure: FailureRecord) => void records.push(failure) }
  const options = resolveOptions({ config, scope: 'server' })
  const { app, store } = await createInstance({ dir, ...builtFiles(dir), options, logging: log, metrics: recorder })
  store.subscribe(countFailure)
  const counts = () => read().routes.flatMap(({ failures }) => failures.map(({ count }) => count))
  return { port: await listen(t, app), log, records, count: async () => counts().reduce((all, one) => all + one, 0) }
}

/** Serves a site in an app, whose route `/app` fails too. */
export async function serveInApp(t: Test, dir: string, settings: FastifyServerOptions = {}): Promise<Site> {
  const log = createLog()
  const records: FailureRecord[] = []
  const app = Fastify({ ...log, ...settings })
  await app.register(hydrant, { dir, onFailure: (failure) => void records.push(failure) })
  await app.register(hydrant.admin, { prefix: '/ops', auth: 'none', only: 'metrics' })
  app.get('/app', async (_request, reply) => {
    reply.send({})
    throw new Error('it broke')
  })
  async function count() {
    const { body } = await app.inject('/ops/metrics')
    return [...body.matchAll(/^hydrant_failures_total\{.*\} (\d+)$/gm)].reduce((all, [, one]) => all + Number(one), 0)
  }
  await count()
  return { port: await listen(t, app), log, records, count }
}

interface Answer {
  status: number | undefined
  body: string
  /** Whether the connection was closed before the end of the response. */
  isCut: boolean
}

interface Leaving {
  /** Whether the client leaves after the first part. */
  leaves?: boolean
  /** Makes the client leave. */
  signal?: AbortSignal
}

/** Sends a request on its own connection. */
export function ask({ port }: Site, path: string, headers = {}, { leaves, signal }: Leaving = {}): Promise<Answer> {
  return new Promise((resolve) => {
    const answer: Answer = { status: undefined, body: '', isCut: true }
    const outgoing = request({ port, path, headers, agent: false, ...(signal && { signal }) }, (incoming) => {
      answer.status = incoming.statusCode
      incoming.on('data', (part) => {
        answer.body += String(part)
        if (leaves) outgoing.destroy()
      })
      incoming.on('error', () => {})
      incoming.on('end', () => Object.assign(answer, { isCut: false }))
    })
    outgoing.on('error', () => {})
    outgoing.on('close', () => resolve(answer))
    outgoing.end()
  })
}

/** Sends another request, whose line comes after those of the earlier ones. */
export async function settle(site: Site) {
  const isFine = () => site.log.lines.filter(({ msg }) => msg.startsWith('request completed')).length
  const before = isFine()
  await ask(site, '/fine')
  await until(() => isFine() > before)
}
