// Lets a test call the shared store of another process, through a socket file.

import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import type { SharedStore } from '../../../../src/server/cache/shared/shared-store.ts'

type Method = Exclude<keyof SharedStore, 'onInvalidate' | 'measure' | 'seen'>

/** The store of another process. `heard` has the tags that its listener was called with. */
export interface DrivenStore extends Omit<SharedStore, 'onInvalidate' | 'measure' | 'seen'> {
  heard: string[]
  pid: number
}

/** Makes the calls that arrive at a socket file, in the process that has the store. */
export async function serveStore(store: SharedStore, file: string): Promise<void> {
  const server = createServer(async (socket) => {
    const send = (message: object) => socket.write(`${JSON.stringify(message)}\n`)
    socket.on('error', () => {})
    socket.unref()
    store.onInvalidate((heard) => send({ heard }))
    send({ pid: process.pid })
    createInterface({ input: socket }).on('line', async (line) => {
      const { id, method, args } = JSON.parse(line) as { id: number; method: Method; args: unknown[] }
      // `driveStore` sends the arguments of the method.
      const call = store[method] as (...args: unknown[]) => Promise<unknown>
      send({ id, value: await call(...args) })
    })
  })
  await once(server.listen(file), 'listening')
  server.unref()
}

export async function driveStore(t: Test, file: string): Promise<DrivenStore> {
  const socket = connect(file)
  t.teardown(() => socket.destroy())
  socket.on('error', () => {})
  const pending = new Map<number, (value: unknown) => void>()
  const heard: string[] = []
  let lastId = 0
  const lines = createInterface({ input: socket })
  const [first] = (await once(lines, 'line')) as [string]
  lines.on('line', (line) => {
    const message = JSON.parse(line) as { id?: number; value?: unknown; heard?: string[] }
    heard.push(...(message.heard ?? []))
    if (message.id !== undefined) pending.get(message.id)?.(message.value)
  })
  // The other side calls the method, and sends its result.
  const forward = <M extends Method>(method: M) =>
    ((...args: unknown[]) =>
      new Promise((resolve) => {
        pending.set(++lastId, resolve)
        socket.write(`${JSON.stringify({ id: lastId, method, args })}\n`)
      })) as SharedStore[M]
  return {
    heard,
    pid: (JSON.parse(first) as { pid: number }).pid,
    get: forward('get'),
    versions: forward('versions'),
    set: forward('set'),
    lease: forward('lease'),
    release: forward('release'),
    awaitEntry: forward('awaitEntry'),
    invalidate: forward('invalidate'),
    clear: forward('clear'),
    close: forward('close'),
  }
}
