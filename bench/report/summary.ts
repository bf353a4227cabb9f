import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HYDRANT } from '../compare/workspace.ts'
import { ROOT } from '../paths.ts'
import type { BenchRecord } from '../record.ts'
import { type Comparison, compareServers, otherServers } from './comparisons.ts'
import { BEHIND, show, showRatio, table } from './table.ts'

/** The titles of the figures in README.md. */
const SHOWN = ['small page', '100 rows', 'first byte of a stream', 'click to paint']
/** A server with one of these packages uses a framework. The others are written by hand. */
const FRAMEWORKS = ['next', '@fastify/react', '@react-router/serve', '@tanstack/react-start', 'vike']
/** The names of servers in words. The project's site has the same. */
const TITLES = 'site/content/frameworks.ratios'
const LINK = '[Benchmark](docs/benchmark.md) has all figures.'

/** Returns some figures of Hydrant and of the frameworks, and in which figures Hydrant is behind, for README.md. */
export function toSummary(record: BenchRecord): string {
  const comparisons = compareServers(record)
  const frameworks = listFrameworks(record)
  const rows = comparisons
    .filter(({ title }) => SHOWN.includes(title))
    .map(({ title, unit, values }) => [
      `${title}, ${unit}`,
      ...[HYDRANT, ...frameworks.keys()].map((name) => show(values.get(name))),
    ])
  const sentences = [...sayLosses(comparisons, [...frameworks.keys()]), LINK, ...describePlace(record)]
  return `${table(['', 'Hydrant', ...frameworks.values()], rows)}\n\n${sentences.join(' ')}`
}

/** Returns the frameworks of a record by the names of their servers. */
function listFrameworks({ parts: { speed } }: BenchRecord): Map<string, string> {
  const lines = readFileSync(join(ROOT, TITLES), 'utf8').matchAll(/^([^:\n]+): (.+)$/gm)
  const titles = new Map([...lines].map(([, name = '', title = '']) => [name, title]))
  const servers = Object.entries(speed?.figures.servers ?? {})
  const measured = servers.filter(([, { versions }]) => FRAMEWORKS.some((name) => name in versions))
  return new Map(measured.map(([name]) => [name, titles.get(name) ?? name]))
}

function sayLosses(comparisons: readonly Comparison[], frameworks: readonly string[]): string[] {
  const isBehind = ({ ratios }: Comparison) => frameworks.some((name) => (ratios.get(name) ?? 1) < BEHIND)
  const lost = comparisons.filter(isBehind).map(({ title }) => title)
  const smallPage = comparisons.find(({ title }) => title === SHOWN[0])?.ratios ?? []
  const byHand = [...smallPage].filter(([name]) => !frameworks.includes(name)).map(([, ratio]) => 1 / ratio)
  return [
    ...(lost.length > 0 ? [`Hydrant loses to at least one framework in: ${lost.join(', ')}.`] : []),
    ...(byHand.length > 0
      ? [`React without a framework answers the small page up to ${show(Math.max(...byHand))} times as fast.`]
      : []),
  ]
}

/** Returns when and where the figures of README.md were measured. */
function describePlace({ parts: { speed, navigation } }: BenchRecord): string[] {
  const sentences = [speed, navigation].flatMap((part) => {
    if (!part) return []
    const { cpu, cores, node } = part.machine
    return [`Measured on ${part.started.slice(0, 10)} with Node.js ${node} on ${cores} cores of ${cpu}.`]
  })
  return [...new Set(sentences)]
}

/** Returns all ratios of a record, with each server in its own column. */
export function toRatios(record: BenchRecord): string {
  const comparisons = compareServers(record)
  const others = otherServers(comparisons)
  const rows = comparisons.map(({ title, ratios }) => [title, ...others.map((name) => showRatio(ratios.get(name)))])
  return table(['Hydrant is better by', ...others], rows)
}

/** Returns the servers that are better than Hydrant in each figure, the best first, with their ratios. */
export function toLosses(record: BenchRecord): string {
  const lines = compareServers(record).flatMap(({ title, ratios }) => {
    const better = [...ratios].filter(([, ratio]) => ratio < BEHIND).sort(([, a], [, b]) => a - b)
    return better.length > 0
      ? [`- ${title}: ${better.map(([name, ratio]) => `${name} ${ratio.toFixed(2)}`).join(', ')}`]
      : []
  })
  return lines.length > 0 ? lines.join('\n') : 'No other server is better in any of these figures.'
}
