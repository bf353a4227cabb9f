// Shared stores as several processes have them.

import { randomUUID } from 'node:crypto'
import iovalkey from 'iovalkey'
import pg from 'pg'
import type { Test } from 'tap'
import type { StoreBackend } from '../../../../src/server/cache/shared/backend.ts'
import { createSharedStore, type StoreInput } from '../../../../src/server/cache/shared/create-shared-store.ts'
import {
  answerShareCall,
  createMemoryShare,
  createShareClient,
  type ShareClient,
} from '../../../../src/server/cache/shared/memory-share.ts'
import { createPostgresBackend } from '../../../../src/server/cache/shared/postgres-backend.ts'
import type { SharedStore, StoredResponse } from '../../../../src/server/cache/shared/shared-store.ts'
import { createValkeyBackend } from '../../../../src/server/cache/shared/valkey-backend.ts'
import { until } from '../../../until.ts'

/** Opens the store of a further process. */
export type OpenStore = (t: Test) => Promise<SharedStore>

/** A log that keeps its lines. */
export function keepLines() {
  const lines: string[] = []
  const add = (text: unknown) => void lines.push(typeof text === 'string' ? text : JSON.stringify(text))
  return { lines, log: { error: add, warn: add, info: add } }
}

/** Calls never time out, because the machine may be slow. What is lost when a test ends does not matter. */
const NO_DEADLINE: Pick<StoreInput, 'deadline' | 'closeMs'> = { deadline: () => () => {}, closeMs: 0 }

/** A log whose lines the runner shows if the test fails: a store that is unavailable for a moment finds nothing. */
const printLine = (text: unknown) => void process.stderr.write(`${text}\n`)
const PRINTED = { error: printLine, warn: printLine, info: printLine }

/** Creates a store, and waits until it is available. */
export async function createStore(t: Test, input: Partial<StoreInput> & Pick<StoreInput, 'backend'>) {
  const store = createSharedStore({ ...NO_DEADLINE, log: keepLines().log, place: 'the store', ...input })
  t.teardown(() => store.close())
  await until(() => store.versions())
  return store
}

/** Creates the backends of processes that share the memory of another one. */
export function createMemoryBackends(maxBytes: number, maxTags?: number): () => StoreBackend {
  const clients: ShareClient[] = []
  const share = createMemoryShare<ShareClient>(
    maxBytes,
    (event) => {
      for (const client of clients) setImmediate(() => client.tell(structuredClone(event)))
    },
    maxTags,
  )
  return () => {
    const client = createShareClient((call) =>
      setImmediate(() => {
        const result = answerShareCall(share, client, structuredClone(call))
        setImmediate(() => client.settle(structuredClone(result)))
      }),
    )
    clients.push(client)
    return client.backend
  }
}

export function openInMemory(maxBytes: number, maxTags?: number): OpenStore {
  const createBackend = createMemoryBackends(maxBytes, maxTags)
  return (t) => createStore(t, { backend: createBackend() })
}

const toLimits = (maxBytes: number, maxTags?: number) => ({ maxBytes, ...(maxTags === undefined ? {} : { maxTags }) })

export function openInPostgres(url: string, maxBytes: number, maxTags?: number): OpenStore {
  return (t) =>
    createStore(t, {
      log: PRINTED,
      backend: createPostgresBackend({ pg, url, place: 'the database', ...toLimits(maxBytes, maxTags) }),
    })
}

export function openInValkey(url: string, maxBytes: number, maxTags?: number): OpenStore {
  return (t) =>
    createStore(t, {
      log: PRINTED,
      backend: createValkeyBackend({ iovalkey, url, ...toLimits(maxBytes, maxTags) }),
    })
}

/** A response with these tags and a body. */
export function response(tags: readonly string[] = [], body = '<p>page</p>', changes: Partial<StoredResponse> = {}) {
  const headers = [['content-type', 'text/html; charset=utf-8'] as const]
  return {
    id: randomUUID(),
    body,
    headers,
    scripts: [],
    styles: [],
    tags,
    storedAt: Date.now(),
    freshMs: 60_000,
    staleMs: 600_000,
    ...changes,
  }
}

/** Renders and stores a page, as a process does. */
export async function render(store: SharedStore, key: string, tags: readonly string[] = [], body?: string) {
  const since = await store.versions()
  if (since === null) throw new Error('the store is unavailable')
  await store.set(key, response(tags, body), since)
}
