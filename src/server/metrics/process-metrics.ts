import {
  AggregatorRegistry,
  collectDefaultMetrics,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'

/** Of one process, as they can be sent. */
export type ProcessMetrics = readonly MetricObjectWithValues<MetricValue<string>>[]

export interface NamedProcess {
  /** What `worker` says in the labels. */
  name: string
  metrics: ProcessMetrics
}

/** Begins to measure this process. Returns what reads it. */
export function measureProcess(): () => Promise<ProcessMetrics> {
  const register = new Registry()
  collectDefaultMetrics({ register })
  return () => register.getMetricsAsJSON()
}

/** As Prometheus reads it. What a process is busy with says nothing in a sum: each keeps its own. */
export function writeProcesses(processes: readonly NamedProcess[]): Promise<string> {
  const labelled = processes.map(({ name, metrics }) =>
    metrics.map((metric) => ({
      ...metric,
      // Of values whose labels differ it leaves each as it is.
      aggregator: 'sum',
      values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, worker: name } })),
    })),
  )
  return AggregatorRegistry.aggregate(labelled).metrics()
}
