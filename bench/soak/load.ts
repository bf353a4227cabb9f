import { setTimeout as wait } from 'node:timers/promises'
import { type Outcome, wrong } from './exchange.ts'
import { QUICK, SLOW } from './kinds.ts'
import { createAgent, type Kind, type Visitor } from './requests.ts'

type Site = Omit<Visitor, 'agent'>

const QUICK_VISITORS = 24
const SLOW_VISITORS = 8
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

type Counts = Record<Outcome['kind'], number>

/** Counts the outcomes of each kind of request. */
export interface Tally {
  rows: Map<string, Counts>
  /** The number of responses that reported a failure. */
  failures: number
  /** Descriptions of the first wrong responses. */
  problems: string[]
  /** Makes a request as a visitor and counts the outcome. */
  run(kind: Kind, visitor: Visitor): Promise<void>
}

const MAX_PROBLEMS = 20

export function createTally(): Tally {
  const tally: Tally = { rows: new Map(), failures: 0, problems: [], run }

  async function run(kind: Kind, visitor: Visitor) {
    const outcome = await attempt(kind, visitor)
    const counts = tally.rows.get(kind.name) ?? { whole: 0, refused: 0, left: 0, wrong: 0 }
    tally.rows.set(kind.name, counts)
    counts[outcome.kind]++
    if (kind.fails && outcome.kind === 'whole') tally.failures++
    if (outcome.kind !== 'wrong' || tally.problems.length === MAX_PROBLEMS) return
    tally.problems.push(`${kind.name}: ${outcome.problem}`)
  }

  return tally
}

export function total({ rows }: Tally): Counts {
  const sum = { whole: 0, refused: 0, left: 0, wrong: 0 }
  for (const counts of rows.values()) {
    for (const kind of ['whole', 'refused', 'left', 'wrong'] as const) sum[kind] += counts[kind]
  }
  return sum
}

async function attempt(kind: Kind, visitor: Visitor): Promise<Outcome> {
  try {
    return await kind.run(visitor)
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error))
  }
}
