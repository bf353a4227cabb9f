import type { BenchRecord } from '../record.ts'
import { toCacheTables } from './cache.ts'
import { type Comparison, compareServers } from './comparisons.ts'
import { toFailureTables } from './failures.ts'
import { toGrowthTables } from './growth.ts'
import { describeRun, toRatios } from './summary.ts'
import { show, table } from './table.ts'

/** Returns all figures of a record. */
export function toMarkdown(record: BenchRecord): string {
  const { growth, failures, cache } = record.parts
  const comparisons = compareServers(record)
  const sections = [
    describeRun(record),
    ...describeProblems(record),
    ...(comparisons.length > 0 ? ['### Ratios', RATIOS, toRatios(record), '### Figures', toFigures(comparisons)] : []),
    ...(growth ? ['### Growth', toGrowthTables(growth.figures)] : []),
    ...(failures ? ['### Failures', toFailureTables(failures.figures)] : []),
    ...(cache ? ['### Page cache', toCacheTables(cache.figures)] : []),
    ...describeMethod(record),
    ...describeVersions(record),
  ]
  return `${sections.filter((section) => section !== null).join('\n\n')}\n`
}

const RATIOS = 'Above 1, Hydrant is better; below 1, the other server is. A bold ratio says that Hydrant is behind.'

/** Returns a table with one row for each server. */
function toFigures(comparisons: readonly Comparison[]): string {
  const names = [...new Set(comparisons.flatMap(({ values }) => [...values.keys()]))]
  const rows = names.map((name) => [name, ...comparisons.map(({ values }) => show(values.get(name)))])
  return table(['', ...comparisons.map(({ title, unit }) => `${title}, ${unit}`)], rows)
}

function describeProblems({ parts }: BenchRecord): string[] {
  const lines = Object.entries(parts).flatMap(([name, { problems }]) =>
    problems.map((problem) => `- ${name}: ${problem.split('\n')[0]}`),
  )
  return lines.length > 0 ? ['### Not measured', lines.join('\n')] : []
}

function describeMethod({ parts }: BenchRecord): string[] {
  const { speed, navigation, hydration } = parts
  const lines: string[] = []
  if (speed) {
    const { rounds, seconds, warmupSeconds } = speed.plan
    lines.push(
      `- load: ${rounds} rounds of ${seconds} s per page and server, after a warm-up of at most ${warmupSeconds} s`,
    )
  }
  for (const part of [navigation, hydration]) {
    if (!part) continue
    const { chromium, slowdown } = part.figures
    const name = part === navigation ? 'click to paint' : '2,398 tiles interactive'
    lines.push(
      `- ${name}: ${part.plan.samples} rounds in Chromium ${chromium}, processor slowed down ${slowdown} times`,
    )
  }
  return lines.length > 0 ? ['### Method', lines.join('\n')] : []
}

function describeVersions({ parts: { speed } }: BenchRecord): string[] {
  if (!speed) return []
  const lines = Object.entries(speed.figures.servers).map(([name, { versions }]) => {
    const list = Object.entries(versions).map(([dependency, version]) => `${dependency} ${version}`)
    return `- ${name}: ${list.join(', ')}`
  })
  return ['### Versions', lines.join('\n')]
}
