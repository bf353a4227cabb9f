import { type Outcome, wrong } from './outcome.ts'
import type { Kind } from './requests.ts'
import type { Visitor } from './visitor.ts'

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
