import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Keeper } from '../ledger/keeper.ts'
import type { Measures } from '../measures.ts'
import { createHistogram, type Histogram } from './histogram.ts'

export interface Metrics {
  contentType: string
  /** As Prometheus reads it. */
  text(): Promise<string>
  measures: Measures
  /** Counts no further failures. */
  close(): void
}

/** Metrics in a registry of their own: those of the app are its own business. */
export function createMetrics(keeper: Pick<Keeper, 'writer' | 'subscribe'>): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const duration = createHistogram('hydrant_request_duration_seconds', 'From a request to the end of its answer.')
  const render = createHistogram('hydrant_render_duration_seconds', 'Rendering a document: all of it, or its shell.')
  const firstByte = createHistogram(
    'hydrant_first_byte_seconds',
    'From a request for a page to the start of its document.',
  )
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
    async text() {
      return [await registry.metrics(), duration.text(), render.text(), firstByte.text()].join('')
    },
    measures: {
      answered: addRequestCounter(registers, duration.observe),
      rendered: render.observe,
      firstByte: firstByte.observe,
    },
  }
}

// Labels are made when somebody reads them: for each request they would cost more than counting it.
function addRequestCounter(registers: Registry[], observe: Histogram['observe']): Measures['answered'] {
  const counts = new Map<string, Map<number, number>>()
  new Counter({
    name: 'hydrant_requests_total',
    help: 'Requests that were answered, or whose visitors have left.',
    labelNames: ['method', 'status'],
    registers,
    collect() {
      this.reset()
      for (const [method, byStatus] of counts) {
        for (const [status, count] of byStatus) this.inc({ method, status }, count)
      }
    },
  })
  return (method, status, durationMs) => {
    const byStatus = counts.get(method) ?? new Map<number, number>()
    if (byStatus.size === 0) counts.set(method, byStatus)
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
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
