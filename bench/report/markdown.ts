import type { BenchRecord } from '../record.ts'
import { toCacheTables } from './cache.ts'
import { type Comparison, compareServers } from './comparisons.ts'
import { toFailureTables } from './failures.ts'
import { toGrowthTables } from './growth.ts'
import { toLosses, toRatios } from './summary.ts'
import { show, table } from './table.ts'

/** Returns all figures of a record. */
export function toMarkdown(record: BenchRecord): string {
  const { growth, failures, cache } = record.parts
  const comparisons = compareServers(record)
  const sections = [
    ...(comparisons.length > 0
      ? [
          ...['### What Hydrant loses', LOSSES, toLosses(record), '### Ratios', RATIOS, toRatios(record)],
          ...['### Figures', toFigures(comparisons)],
        ]
      : []),
    ...(growth ? ['### Growth', toGrowthTables(growth.figures)] : []),
    ...(failures ? ['### Failures', toFailureTables(failures.figures)] : []),
    ...(cache ? ['### Page cache', toCacheTables(cache.figures)] : []),
    ...describeMethod(record),
    ...describeVersions(record),
    ...describeProblems(record),
    ...describeRun(record),
  ]
  return `${sections.join('\n\n')}\n`
}

const LOSSES =
  'These servers are better, the best first. A ratio of 0.5 means that Hydrant serves half as many requests, or takes twice the time, the memory or the bytes.'
const RATIOS = 'Above 1, Hydrant is better; below 1, the other server is. A bold ratio says that Hydrant is behind.'

/** Returns a table with one column for each server. */
function toFigures(comparisons: readonly Comparison[]): string {
  const names = [...new Set(comparisons.flatMap(({ values }) => [...values.keys()]))]
  const rows = comparisons.map(({ title, unit, values }) => [
    `${title}, ${unit}`,
    ...names.map((name) => show(values.get(name))),
  ])
  return table(['', ...names], rows)
}

function describeProblems({ parts }: BenchRecord): string[] {
  const lines = Object.entries(parts).flatMap(([name, { problems }]) =>
    problems.map((problem) => `- ${name}: ${problem.split('\n')[0]}`),
  )
  return lines.length > 0 ? ['### Not measured', lines.join('\n')] : []
}

/** Says when and where the parts were measured. */
function describeRun({ parts }: BenchRecord): string[] {
  const lines = Object.entries(parts).map(([name, { started, minutes, commit, machine }]) => {
    const { cpu, cores, memoryGb, kernel, node, loadBefore } = machine
    const place = `${cores} cores of ${cpu}, ${memoryGb} GB, ${kernel}, Node.js ${node}`
    const when = `${started.slice(0, 16).replace('T', ' ')} UTC, ${minutes.toFixed(1)} minutes`
    return `- ${name}: ${when}, commit ${commit}, ${place}, load average before ${loadBefore.toFixed(1)}`
  })
  return lines.length > 0 ? ['### Runs', lines.join('\n')] : []
}

function describeMethod({ parts }: BenchRecord): string[] {
  const { speed, navigation, hydration, tracker } = parts
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
  if (tracker) {
    const { turns, seconds, warmupSeconds, repeats } = tracker.plan
    lines.push(
      `- 1,000 rows: ${turns} rounds of ${seconds} s per page and server, after a warm-up of ${warmupSeconds} s; ${repeats} builds`,
    )
  }
  return lines.length > 0 ? ['### Method', lines.join('\n')] : []
}

function describeVersions({ parts: { speed, tracker } }: BenchRecord): string[] {
  const servers = { ...speed?.figures.servers, ...tracker?.figures.servers }
  const lines = Object.entries(servers).map(([name, { versions }]) => {
    const list = Object.entries(versions).map(([dependency, version]) => `${dependency} ${version}`)
    return `- ${name}: ${list.join(', ')}`
  })
  return lines.length > 0 ? ['### Versions', lines.join('\n')] : []
}
