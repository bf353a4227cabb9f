import type { FastifyInstance } from 'fastify'
import { sendProblem } from '../http/problem.ts'
import { sendJson } from './api.ts'
import type { CacheReport } from './cache-report.ts'

/** The page cache, as the console and its API use it. */
export interface ConsoleCache {
  read(): Promise<CacheReport>
  /** Removes all pages. Resolves with false if a process has not confirmed it in time. */
  empty(): Promise<boolean>
}

/** The message for operators when a worker does not answer. */
const NOT_EMPTIED = 'A worker has not confirmed in time that its cache is empty. Try again in a moment.'

/** Adds the part of the JSON API that shows and empties the page cache. */
export function addCacheApi(app: FastifyInstance, cache: ConsoleCache) {
  app.get('/api/cache', async (_request, reply) => sendJson(await cache.read(), reply))
  app.post('/api/cache/empty', async (_request, reply) => {
    if (!(await cache.empty())) return sendProblem(503, NOT_EMPTIED, reply)
    return sendJson(await cache.read(), reply)
  })
}
