import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from './paths.ts'

/** The parts of the benchmark, in the order in which they run. */
export const PARTS = ['speed', 'navigation', 'hydration', 'growth', 'failures', 'cache', 'tracker'] as const
export type Part = (typeof PARTS)[number]
/** The parts that can run together. The tracker has a folder of its own. */
const TOGETHER = PARTS.filter((part) => part !== 'tracker')
/** The parts that compare Hydrant with other servers. */
const WITH_PEERS: readonly Part[] = ['speed', 'navigation', 'hydration']

export interface Arguments {
  /** The folder of the servers to compare with, or null. For the part `tracker`, the clone of framework-tracker. */
  folder: string | null
  /** The names of their subfolders or of the tracker's frameworks, or null for all. */
  peers: readonly string[] | null
  parts: readonly Part[]
  /** Whether parts are left out that the record has of this commit. */
  isResumed: boolean
  /** The name of the record, without an ending. */
  name: string
  /** The folder of the record. */
  out: string
  /** The folder for copies of the peers and for generated sites. It is kept. */
  work: string
  /** Whether the tables of the record are printed, and nothing is measured. */
  isReport: boolean
  /** Whether the figures are written into the documentation. */
  isFilled: boolean
  plan: Plan
}

/** The amount of work in each part. */
export interface Plan {
  /** Rounds of load per page and server. */
  rounds: number
  /** The length of a round in seconds. */
  seconds: number
  /** The longest warm-up of a server in seconds. */
  warmupSeconds: number
  /** The samples of navigation and of hydration per server. */
  samples: number
  /** The numbers of pages of the generated sites. */
  sizes: readonly number[]
  /** The builds and starts of each generated site. */
  repeats: number
  /** The part of the requests to each generated site that is sent. */
  share: number
  /** The turns of each comparison of failures and of stored pages. */
  turns: number
  /** The length of a storm of failures in seconds. */
  stormSeconds: number
}

const PLAN: Plan = {
  ...{ rounds: 2, seconds: 3, warmupSeconds: 10, samples: 8 },
  ...{ sizes: [10, 100, 1_000, 10_000], repeats: 3, share: 1, turns: 10, stormSeconds: 60 },
}
/** Shows that everything works. The figures mean nothing. */
const QUICK: Plan = {
  ...{ rounds: 1, seconds: 1, warmupSeconds: 1, samples: 2 },
  ...{ sizes: [3, 30], repeats: 1, share: 0.25, turns: 2, stormSeconds: 2 },
}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

/** Throws an error with a message for the user if an argument is wrong. */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...{ peers: text, parts: text, name: text, out: text, work: text, resume: flag, fill: flag, quick: flag },
      ...{ rounds: text, seconds: text, 'warmup-seconds': text, samples: text, sizes: text, turns: text },
      ...{ 'storm-seconds': text, repeats: text, report: flag, tracker: text },
    },
  })
  if (positionals.length > 1) throw new Error(`expected one folder of peers; got ${positionals.join(' and ')}`)
  const isTracker = values.tracker !== undefined
  if (isTracker && (positionals.length > 0 || values.parts))
    throw new Error('--tracker has a part and a folder of its own')
  const isReport = values.report === true
  const given = values.tracker ?? positionals[0]
  const folder = given === undefined || isReport ? null : resolve(given)
  const chosen = isTracker ? ['tracker' as const] : (values.parts?.split(',').map(findPart) ?? TOGETHER)
  const parts = isReport ? [] : chosen
  const needy = parts.find((part) => WITH_PEERS.includes(part))
  if (folder === null && needy) throw new Error(`the part "${needy}" needs the folder of the peers`)
  const name = values.name ?? (isTracker ? 'tracker' : 'last')
  if (!/^[\w.-]+$/.test(name)) throw new Error(`--name must be letters, digits, ".", "_" and "-"; got "${name}"`)
  return {
    ...{ folder, parts, name, isReport },
    peers: values.peers?.split(',') ?? null,
    isResumed: values.resume === true,
    out: resolve(values.out ?? join(ROOT, 'bench/results')),
    work: resolve(values.work ?? join(tmpdir(), 'hydrant-bench')),
    isFilled: values.fill === true,
    plan: readPlan(values, values.quick === true ? QUICK : PLAN),
  }
}

function readPlan(values: Readonly<Record<string, unknown>>, plan: Plan): Plan {
  const given = (name: string, fallback: number) => readCount(name, values[name] ?? fallback)
  return {
    rounds: given('rounds', plan.rounds),
    seconds: given('seconds', plan.seconds),
    warmupSeconds: given('warmup-seconds', plan.warmupSeconds),
    samples: given('samples', plan.samples),
    repeats: given('repeats', plan.repeats),
    share: plan.share,
    turns: given('turns', plan.turns),
    stormSeconds: given('storm-seconds', plan.stormSeconds),
    sizes: typeof values.sizes === 'string' ? readSizes(values.sizes) : plan.sizes,
  }
}

function readSizes(list: string): number[] {
  return list
    .split(',')
    .map((size) => readCount('sizes', size))
    .sort((a, b) => a - b)
}

function readCount(name: string, value: unknown): number {
  const count = Number(value)
  if (Number.isInteger(count) && count >= 1) return count
  throw new Error(`--${name} must be a whole number from 1; got "${value}"`)
}

function findPart(name: string): Part {
  const part = TOGETHER.find((part) => part === name)
  if (part) return part
  throw new Error(`--parts must be some of ${TOGETHER.join(', ')}; got "${name}"`)
}
