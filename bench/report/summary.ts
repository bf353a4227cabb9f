import type { BenchRecord } from '../record.ts'
import { summarizeCache } from './cache.ts'
import { type Comparison, compareServers, otherServers } from './comparisons.ts'
import { summarizeFailures } from './failures.ts'
import { summarizeGrowth } from './growth.ts'
import { BEHIND, NONE, showRatio, table } from './table.ts'

/** A server with one of these packages uses a framework. The others are written by hand. */
const FRAMEWORKS = ['next', '@fastify/react', '@react-router/serve', '@tanstack/react-start', 'vike']

/** Returns the ratios of a record for the README: each server by hand, and the best framework. */
export function toSummary(record: BenchRecord): string {
  const comparisons = compareServers(record)
  const frameworks = Object.entries(record.parts.speed?.figures.servers ?? {})
    .filter(([, { versions }]) => FRAMEWORKS.some((name) => name in versions))
    .map(([name]) => name)
  const byHand = otherServers(comparisons).filter((name) => !frameworks.includes(name))
  const rows = comparisons.map((comparison) => [
    comparison.title,
    ...byHand.map((name) => showRatio(comparison.ratios.get(name))),
    showBest(comparison, frameworks),
  ])
  const parts = [
    rows.length > 0 ? table(['', ...byHand.map((name) => `\`${name}\``), 'best framework'], rows) : null,
    sayBehind(comparisons),
    summarizeGrowth(record),
    summarizeFailures(record),
    summarizeCache(record),
    describeMachines(record),
  ]
  return parts.filter((part) => part !== null).join('\n\n')
}

/** Returns all ratios of a record, with each server in its own column. */
export function toRatios(record: BenchRecord): string {
  const comparisons = compareServers(record)
  const others = otherServers(comparisons)
  const rows = comparisons.map(({ title, ratios }) => [title, ...others.map((name) => showRatio(ratios.get(name)))])
  return table(['Hydrant is better by', ...others], rows)
}

function showBest({ ratios }: Comparison, frameworks: readonly string[]): string {
  const [best] = frameworks
    .flatMap((name) => {
      const ratio = ratios.get(name)
      return ratio === undefined ? [] : [{ name, ratio }]
    })
    .sort((a, b) => a.ratio - b.ratio)
  return best ? `${showRatio(best.ratio)} (${best.name})` : NONE
}

function sayBehind(comparisons: readonly Comparison[]): string | null {
  if (comparisons.length === 0) return null
  const behind = comparisons.flatMap(({ title, ratios }) => {
    const names = [...ratios].filter(([, ratio]) => ratio < BEHIND).map(([name]) => `\`${name}\``)
    return names.length > 0 ? [`- ${title}: ${names.join(', ')}`] : []
  })
  if (behind.length === 0) return 'No other server is better in any of these figures.'
  return `Other servers are better in these figures:\n\n${behind.join('\n')}`
}

/** Returns where the parts of the record were measured, with one line for those of the same place. */
function describeMachines({ parts }: BenchRecord): string | null {
  const names = new Map<string, string[]>()
  for (const [name, { started, commit, machine }] of Object.entries(parts)) {
    const { cpu, cores, node } = machine
    const place = `${started.slice(0, 10)}, commit ${commit}, Node.js ${node}, ${cores} cores of ${cpu}`
    names.set(place, [...(names.get(place) ?? []), name])
  }
  const lines = [...names].map(([place, parts]) => `- ${parts.join(', ')}: ${place}`)
  return lines.length > 0 ? `The parts of the benchmark were measured here:\n\n${lines.join('\n')}` : null
}

/** Returns when and where the parts were measured. */
export function describeRun({ parts }: BenchRecord): string | null {
  const lines = Object.entries(parts).map(([name, { started, minutes, commit, machine }]) => {
    const { cpu, cores, memoryGb, kernel, node, loadBefore } = machine
    const place = `${cores} cores of ${cpu}, ${memoryGb} GB, ${kernel}, Node.js ${node}`
    const when = `${started.slice(0, 16).replace('T', ' ')} UTC, ${minutes.toFixed(1)} minutes`
    return `- ${name}: ${when}, commit ${commit}, ${place}, load average before ${loadBefore.toFixed(1)}`
  })
  return lines.length > 0 ? lines.join('\n') : null
}
