/** Counts durations. Those of prom-client cost a request ten times as much, as they look up labels each time. */
export interface Histogram {
  observe(durationMs: number): void
  read(): HistogramCounts
}

/** What was counted, as it can be sent and added up. */
export interface HistogramCounts {
  /** By the upper bounds; the last one is for what is longer than all of them. */
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

export function addCounts(all: readonly HistogramCounts[]): HistogramCounts {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  return {
    counts: [...BOUNDS_MS, null].map((_, index) => sum(all.map(({ counts }) => counts[index] ?? 0))),
    sumMs: sum(all.map(({ sumMs }) => sumMs)),
  }
}

/** In Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/). */
export function writeHistogram(name: string, help: string, { counts, sumMs }: HistogramCounts): string {
  let total = 0
  const buckets = counts.map((count, index) => {
    total += count
    const bound = BOUNDS_MS[index]
    return `${name}_bucket{le="${bound === undefined ? '+Inf' : bound / 1000}"} ${total}`
  })
  const head = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`]
  return [...head, ...buckets, `${name}_sum ${sumMs / 1000}`, `${name}_count ${total}`, ''].join('\n')
}
