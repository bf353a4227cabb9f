import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { LedgerWriter } from '../ledger/ledger-writer.ts'
import { writeHistogram } from './histogram.ts'
import { type NamedProcess, writeProcesses } from './process-metrics.ts'
import type { Tally } from './tally.ts'

/** Where the numbers are asked for. */
export interface Counted {
  tally(): Promise<Tally>
  /** Of the processes that serve; null when this one does it alone. */
  processes: (() => Promise<NamedProcess[]>) | null
  /** What each process that serves has of the site. */
  releases(): readonly string[]
  /** Workers that have ended without being told to. */
  workersLost(): number
}

export interface Metrics {
  contentType: string
  /** As Prometheus reads it. */
  text(): Promise<string>
}

/** Metrics in a registry of their own: those of the app are its own business. */
export function createMetrics(
  { tally, processes, releases, workersLost }: Counted,
  writer: Pick<LedgerWriter, 'stats'>,
): Metrics {
  const registry = new Registry()
  const registers = [registry]
  if (processes === null) collectDefaultMetrics({ register: registry })
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers })
  const requests = counter('hydrant_requests_total', 'Requests that were answered, or whose visitors have left.', [
    'method',
    'status',
  ])
  const failures = counter('hydrant_failures_total', 'Failures, by where they happened.', ['side', 'phase'])
  const shed = counter('hydrant_shed_total', 'Requests that were refused, as the event loop was too late.')
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers })
  const serving = gauge('hydrant_processes', 'Processes that serve, by the release of the site.', ['release'])
  const lost = counter('hydrant_workers_lost_total', 'Workers that have ended without being told to.')
  const queue = gauge('hydrant_ledger_queue', 'Failures that wait to be written to the ledger.')
  const written = counter('hydrant_ledger_written_total', 'Failures written to the ledger.')
  const dropped = counter('hydrant_ledger_dropped_total', 'Failures lost, as the queue was full.')

  function set(counted: Tally) {
    for (const each of [requests, failures, shed, serving, lost, written, dropped]) each.reset()
    for (const { method, status, count } of counted.requests) requests.inc({ method, status }, count)
    for (const { side, phase, count } of counted.failures) failures.inc({ side, phase }, count)
    shed.inc(counted.shed)
    for (const release of releases()) serving.inc({ release })
    lost.inc(workersLost())
    const stats = writer.stats()
    queue.set(stats.queued)
    written.inc(stats.written)
    dropped.inc(stats.dropped)
  }

  return {
    contentType: registry.contentType,
    async text() {
      const [counted, processText] = await Promise.all([tally(), processes?.().then(writeProcesses) ?? ''])
      set(counted)
      return [
        processText,
        await registry.metrics(),
        writeHistogram(
          'hydrant_request_duration_seconds',
          'From a request to the end of its answer.',
          counted.duration,
        ),
        writeHistogram(
          'hydrant_render_duration_seconds',
          'Rendering a document: all of it, or its shell.',
          counted.render,
        ),
        writeHistogram(
          'hydrant_first_byte_seconds',
          'From a request for a page to the start of its document.',
          counted.firstByte,
        ),
      ].join('')
    },
  }
}
