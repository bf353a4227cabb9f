import type { FastifyInstance } from 'fastify'
import { callAll, joinLedgers } from '../ledger/joined-ledger.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { LedgerWriter } from '../ledger/ledger-writer.ts'
import { addApi } from './api.ts'
import { addCacheApi } from './cache-api.ts'
import { addConsole, type ConsoleSettings } from './console.ts'
import { createLedgerChanges } from './ledger-changes.ts'
import { createMetrics, type MetricsSource } from './metrics.ts'

/** Adds `/metrics`. */
export function addMetrics(app: FastifyInstance, source: MetricsSource, writer: Pick<LedgerWriter, 'stats'>) {
  const metrics = createMetrics(source, writer)
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()))
}

export interface ConsoleInput extends ConsoleSettings {
  /** Shown as one ledger. */
  ledgers: readonly [Ledger, ...Ledger[]]
}

/** Adds the API and the pages of the console. */
export async function addConsoleAndApi(app: FastifyInstance, { ledgers, ...settings }: ConsoleInput) {
  const ledger = joinLedgers(ledgers)
  const changes = createLedgerChanges({
    list: async (query) => (await callAll(ledgers, ({ list }) => list(query))).flat(),
  })
  app.addHook('onClose', async () => changes.close())
  await app.register(async (scope) => addApi(scope, ledger, changes, settings.currentRelease))
  addCacheApi(app, settings.cache)
  await app.register(async (scope) => addConsole(scope, ledger, changes, settings))
}
