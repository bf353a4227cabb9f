import { setTimeout as wait } from 'node:timers/promises'
import { QUICK, SLOW } from './kinds.ts'
import type { Kind } from './requests.ts'
import type { Tally } from './tally.ts'
import { createAgent, type Visitor } from './visitor.ts'

type Site = Omit<Visitor, 'agent'>

export const QUICK_VISITORS = 24
export const SLOW_VISITORS = 8
/** A visitor's average pause between two requests. */
const THINK_MS = 60
/** After one of `STAY` requests, on average, a visitor closes its connection and continues from another address. */
const STAY = 200

/** Starts the load. The returned function stops it and waits for the requests in flight. */
export function startLoad(site: Site, tally: Tally): () => Promise<void> {
  let isOver = false

  async function visit(index: number, kinds: readonly Kind[]) {
    let agent = createAgent(index)
    while (!isOver) {
      await tally.run(draw(kinds), { ...site, agent })
      if (Math.random() < 1 / STAY) {
        agent.destroy()
        agent = createAgent(index)
      }
      await wait(Math.random() * 2 * THINK_MS)
    }
    agent.destroy()
  }

  const visitors = [
    ...Array.from({ length: QUICK_VISITORS }, (_, index) => visit(index, QUICK)),
    ...Array.from({ length: SLOW_VISITORS }, (_, index) => visit(QUICK_VISITORS + index, SLOW)),
  ]
  return async () => {
    isOver = true
    await Promise.all(visitors)
  }
}

/** Makes each kind of request once, so that everything that is loaded lazily is loaded. */
export async function tryEach(site: Site, tally: Tally): Promise<void> {
  for (const kind of [...QUICK, ...SLOW]) {
    const agent = createAgent(0)
    await tally.run(kind, { ...site, agent })
    agent.destroy()
  }
}

function draw(kinds: readonly Kind[]): Kind {
  let rest = Math.random() * kinds.reduce((sum, { weight }) => sum + weight, 0)
  for (const kind of kinds) {
    rest -= kind.weight
    if (rest < 0) return kind
  }
  throw new Error('There is nothing to draw from.')
}
