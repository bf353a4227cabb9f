import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Keeper } from '../ledger/keeper.ts'
import type { Measures } from '../measures.ts'

export interface Metrics {
  contentType: string
  /** As Prometheus reads it. */
  text(): Promise<string>
  measures: Measures
  /** Counts no further failures. */
  close(): void
}

/** From half a millisecond to ten seconds. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Metrics in a registry of their own: those of the app are its own business. */
export function createMetrics(keeper: Pick<Keeper, 'writer' | 'subscribe'>): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const histogram = (name: string, help: string) => new Histogram({ name, help, registers, buckets: SECONDS })
  const duration = histogram('hydrant_request_duration_seconds', 'From a request to the end of its answer.')
  const render = histogram('hydrant_render_duration_seconds', 'Rendering a document: all of it, or its shell.')
  const firstByte = histogram('hydrant_first_byte_seconds', 'From a request for a page to the start of its document.')
  const failures = new Counter({
    name: 'hydrant_failures_total',
    help: 'Failures, by where they happened.',
    labelNames: ['side', 'phase'],
    registers,
  })
  const unsubscribe = keeper.subscribe(({ side, phase }) => failures.inc({ side, phase }))
  addLedgerMetrics(keeper, registers)
  return {
    close: unsubscribe,
    contentType: registry.contentType,
    text: () => registry.metrics(),
    measures: {
      answered: addRequestCounter(registers, (durationMs) => duration.observe(durationMs / 1000)),
      rendered: (durationMs) => render.observe(durationMs / 1000),
      firstByte: (elapsedMs) => firstByte.observe(elapsedMs / 1000),
    },
  }
}

// Labels are made when somebody reads them: for each request they would cost more than counting it.
function addRequestCounter(registers: Registry[], observe: (durationMs: number) => void): Measures['answered'] {
  const counts = new Map<string, number>()
  new Counter({
    name: 'hydrant_requests_total',
    help: 'Requests that were answered, or whose visitors have left.',
    labelNames: ['method', 'status'],
    registers,
    collect() {
      this.reset()
      for (const [key, count] of counts) {
        const [method = '', status = ''] = key.split(' ')
        this.inc({ method, status }, count)
      }
    },
  })
  return (method, status, durationMs) => {
    const key = `${method} ${status}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
    observe(durationMs)
  }
}

function addLedgerMetrics({ writer }: Pick<Keeper, 'writer'>, registers: Registry[]) {
  new Gauge({
    name: 'hydrant_ledger_queue',
    help: 'Failures that wait to be written to the ledger.',
    registers,
    collect() {
      this.set(writer.stats().queued)
    },
  })
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  counter('hydrant_ledger_written_total', 'Failures written to the ledger.', () => writer.stats().written)
  counter('hydrant_ledger_dropped_total', 'Failures lost, as the queue was full.', () => writer.stats().dropped)
}
