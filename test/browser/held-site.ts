// The site `fields`, whose scripts wait at the server, for every browser.

import fastify from 'fastify'
import type { Test } from 'tap'
import hydrant from '../../src/server/index.ts'
import { buildApp } from '../build-app.ts'
import { listen } from '../server/lines.ts'
import { scriptOf } from '../server/served.ts'

interface Gate {
  opened: Promise<void>
  open(): void
}

export interface HeldSite {
  origin: string
  /** Makes the scripts wait that a browser asks for from now on. */
  hold(): { page: Gate; late: Gate }
}

export function createGate(): Gate {
  let open!: () => void
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

/** Starts the site. The script of its late part has a gate of its own. */
export async function startHeld(t: Test): Promise<HeldSite> {
  const dir = await buildApp(t, 'fields')
  const lateScript = scriptOf(dir, 'late-counter.tsx')
  let gates = { page: createGate(), late: createGate() }
  const app = fastify()
  t.teardown(() => app.close())
  app.addHook('onRequest', async ({ url }) => {
    if (!/\.js(\?|$)/.test(url)) return
    await (url.includes(lateScript) ? gates.late : gates.page).opened
  })
  // Another page asks again.
  app.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'))
  await app.register(hydrant, { dir, ledger: false })
  const origin = await listen(t, app)
  return {
    origin,
    hold() {
      gates = { page: createGate(), late: createGate() }
      return gates
    },
  }
}
