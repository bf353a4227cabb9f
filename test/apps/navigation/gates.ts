// Loads wait at gates until the test, which runs in the same process, opens them.

import type { FastifyInstance } from 'fastify'
import type { LoadContext } from 'hydrant'

interface Gate {
  opened: Promise<string>
  open(value?: string): void
  fail(reason: unknown): void
  reached: Promise<void>
  arrive(): void
  /** Resolves with the reason when the load's signal aborts. */
  left: Promise<unknown>
  leave(reason: unknown): void
}

declare module 'fastify' {
  interface FastifyInstance {
    gate(name: string): Gate
    /** Counts a call under that name. Returns the number of calls. */
    count(name: string): number
  }
}

export function addGates(app: FastifyInstance) {
  const gates = new Map<string, Gate>()
  const counts: Record<string, number> = {}
  function gate(name: string) {
    const found = gates.get(name) ?? createGate()
    gates.set(name, found)
    return found
  }
  app.decorate('gate', gate)
  app.decorate('count', (name: string) => {
    const count = (counts[name] ?? 0) + 1
    counts[name] = count
    return count
  })
  Object.assign(globalThis, { hydrantGated: { gate, counts } })
}

/** Resolves when the test opens the gate. */
export async function waitAt(name: string, { app, signal }: LoadContext): Promise<void> {
  const gate = app.gate(name)
  signal.addEventListener('abort', () => gate.leave(signal.reason))
  gate.arrive()
  await gate.opened
}

function createGate(): Gate {
  const [opened, open, fail] = settle<string>()
  const [reached, arrive] = settle<void>()
  const [left, leave] = settle<unknown>()
  opened.catch(() => {})
  return { opened, open: (value = '') => open(value), fail, reached, arrive: () => arrive(), left, leave }
}

function settle<Value>() {
  let resolve = (_value: Value) => {}
  let reject = (_reason: unknown) => {}
  const promise = new Promise<Value>((...functions) => {
    ;[resolve, reject] = functions
  })
  return [promise, resolve, reject] as const
}
