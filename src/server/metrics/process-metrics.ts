import prometheus from '#prom-client'

/** CPU, memory and event loop of one process, as prom-client has them. Plain data, for messages between processes. */
export type ProcessMetrics = readonly { values: readonly { labels: object }[] }[]

export interface NamedProcess {
  /** The value of the label `worker`. */
  name: string
  metrics: ProcessMetrics
}

/** Begins to measure this process. Returns a function that reads its metrics. */
export function measureProcess(): () => Promise<ProcessMetrics> {
  const register = new prometheus.Registry()
  prometheus.collectDefaultMetrics({ register })
  return () => register.getMetricsAsJSON()
}

/** Writes the metrics of processes in Prometheus' text format, each with its label: a sum of them would say nothing. */
export function writeProcesses(processes: readonly NamedProcess[]): Promise<string> {
  const labeled = processes.map(({ name, metrics }) =>
    metrics.map((metric) => ({
      ...metric,
      // prom-client adds up values with the same labels only, so each value stays as it is.
      aggregator: 'sum',
      values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, worker: name } })),
    })),
  )
  return prometheus.AggregatorRegistry.aggregate(labeled).metrics()
}
