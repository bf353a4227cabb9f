import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { PARTS, type Part, type Plan } from './arguments.ts'
import type { BrowserFigures, HydrationSample, NavigationSample } from './browser/measure.ts'
import type { CacheFigures } from './cache/measure.ts'
import type { SpeedFigures } from './compare/speed.ts'
import type { FailureFigures } from './failures/measure.ts'
import type { GrowthFigures } from './growth/measure.ts'
import { ROOT } from './paths.ts'
import type { TrackerFigures } from './tracker/measure.ts'

/** All figures of the benchmark. Each part has its own date, because parts can be measured again. */
export interface BenchRecord {
  format: 1
  parts: {
    speed?: Measured<SpeedFigures>
    navigation?: Measured<BrowserFigures<NavigationSample>>
    hydration?: Measured<BrowserFigures<HydrationSample>>
    growth?: Measured<GrowthFigures>
    failures?: Measured<FailureFigures>
    cache?: Measured<CacheFigures>
    tracker?: Measured<TrackerFigures>
  }
}

export interface Measured<Figures> {
  started: string
  minutes: number
  /** The commit of Hydrant, with `-dirty` if files differ from it. */
  commit: string
  machine: Machine
  plan: Plan
  figures: Figures
  /** Everything that could not be measured, and why. */
  problems: readonly string[]
}

export interface Machine {
  cpu: string
  cores: number
  memoryGb: number
  kernel: string
  node: string
  /** The load average of the last minute before the part: the other work on the machine. */
  loadBefore: number
}

export type FiguresOf<P extends Part> = NonNullable<BenchRecord['parts'][P]>['figures']

/** The files that the figures depend on. */
const MEASURED = ['src', 'scripts', 'console', 'bench/*.ts*', 'bench/*/*.ts*', 'package.json', 'package-lock.json']

/** Returns the record in a file, or an empty one. */
export function readRecord(file: string): BenchRecord {
  if (!existsSync(file)) return { format: 1, parts: {} }
  // The cast is safe because `writeRecord` has written the file; the format is checked next.
  const record = JSON.parse(readFileSync(file, 'utf8')) as BenchRecord
  if (record.format !== 1) throw new Error(`${file} is a record of another version of the benchmark`)
  return record
}

/** Writes a record with its parts in the order of a whole run. */
export function writeRecord(file: string, { format, parts }: BenchRecord) {
  const record = { format, parts: Object.fromEntries(PARTS.map((part) => [part, parts[part]])) }
  mkdirSync(dirname(file), { recursive: true })
  // One line for each server and size.
  const text = JSON.stringify(record, roundNumbers, 1).replace(/\n {6,}|\n {5}(?=[}\]])/g, '')
  writeFileSync(file, `${text}\n`)
}

/** Five digits are more than the figures are worth, and keep the record small. */
function roundNumbers(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value
}

export function readMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: `Linux ${release()}`,
    node: process.version,
    loadBefore: loadavg()[0] ?? 0,
  }
}

/** Returns the current commit, with `-dirty` if tracked files differ that can change a figure. */
export function readCommit(): string {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim()
  const changes = git('status', '--porcelain', '--untracked-files=no', '--', ...MEASURED)
  return git('rev-parse', '--short', 'HEAD') + (changes === '' ? '' : '-dirty')
}

export function recordFile(out: string, name: string): string {
  return join(out, `${name}.json`)
}
