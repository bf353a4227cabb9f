/** Counts durations. Those of prom-client cost a request ten times as much, as they look up labels each time. */
export interface Histogram {
  observe(durationMs: number): void
  /** In Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/). */
  text(): string
}

/** Upper bounds in milliseconds. */
const BOUNDS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]

export function createHistogram(name: string, help: string): Histogram {
  // The last one is for what is longer than all bounds.
  const counts = new Float64Array(BOUNDS_MS.length + 1)
  let sumMs = 0
  return {
    observe(durationMs) {
      let index = 0
      while (index < BOUNDS_MS.length && durationMs > (BOUNDS_MS[index] ?? 0)) index++
      counts[index] = (counts[index] ?? 0) + 1
      sumMs += durationMs
    },
    text() {
      let total = 0
      const buckets = [...counts].map((count, index) => {
        total += count
        const bound = BOUNDS_MS[index]
        return `${name}_bucket{le="${bound === undefined ? '+Inf' : bound / 1000}"} ${total}`
      })
      const head = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`]
      return [...head, ...buckets, `${name}_sum ${sumMs / 1000}`, `${name}_count ${total}`, ''].join('\n')
    },
  }
}
