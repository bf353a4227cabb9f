/**
 * Counts durations.
 *
 * perf: not prom-client's histogram, which looks up labels with each duration, 0.06 µs instead of 1.3 µs for a request,
 * commit a6b9e4cd
 */
export interface Histogram {
  observe(durationMs: number): void
  read(): HistogramCounts
}

/** The counts of a histogram. Plain data, for messages between processes. */
export interface HistogramCounts {
  /** One for each upper bound; the last one counts longer durations. */
  counts: number[]
  sumMs: number
}

/** Upper bounds in milliseconds. */
const BOUNDS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]

export function createHistogram(): Histogram {
  const counts = new Float64Array(BOUNDS_MS.length + 1)
  let sumMs = 0
  return {
    observe(durationMs) {
      let index = 0
      while (index < BOUNDS_MS.length && durationMs > (BOUNDS_MS[index] ?? 0)) index++
      counts[index] = (counts[index] ?? 0) + 1
      sumMs += durationMs
    },
    read: () => ({ counts: [...counts], sumMs }),
  }
}

/** Adds up the counts of several histograms. */
export function addHistograms(all: readonly HistogramCounts[]): HistogramCounts {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  return {
    counts: [...BOUNDS_MS, null].map((_, index) => sum(all.map(({ counts }) => counts[index] ?? 0))),
    sumMs: sum(all.map(({ sumMs }) => sumMs)),
  }
}

/** A histogram with its labels. */
export interface Series {
  labels: Record<string, string>
  counts: HistogramCounts
}

/** Writes histograms in Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/). */
export function writeHistograms(name: string, help: string, all: readonly Series[]): string {
  const head = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`]
  return [...head, ...all.flatMap((series) => writeSeries(name, series)), ''].join('\n')
}

function writeSeries(name: string, { labels, counts: { counts, sumMs } }: Series): string[] {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escapeLabel(value)}"`)
  const only = pairs.length === 0 ? '' : `{${pairs.join()}}`
  let total = 0
  const buckets = counts.map((count, index) => {
    total += count
    const bound = BOUNDS_MS[index]
    const le = `le="${bound === undefined ? '+Inf' : bound / 1000}"`
    return `${name}_bucket{${[...pairs, le].join()}} ${total}`
  })
  return [...buckets, `${name}_sum${only} ${sumMs / 1000}`, `${name}_count${only} ${total}`]
}

function escapeLabel(value: string): string {
  return value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
}
