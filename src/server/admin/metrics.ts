import { version as react } from 'react'
import prometheus, { type Registry } from '#prom-client'
import type { Reload, ServedBuild } from '../build-output/build-copy.ts'
import { VERSION } from '../build-output/read-build.ts'
import type { LedgerWriter } from '../ledger/ledger-writer.ts'
import { type NamedProcess, writeProcesses } from '../metrics/process-metrics.ts'
import {
  coarseCounts,
  type RequestCounts,
  type Series,
  type StoreCounts,
  writeHistograms,
} from '../metrics/request-metrics.ts'

/** Provides the numbers of all processes that serve. */
export interface MetricsSource {
  counts(): Promise<RequestCounts>
  /** Reads the metrics of each process that serves; null if this is the only one. */
  processes: (() => Promise<NamedProcess[]>) | null
  served(): readonly ServedBuild[]
  /** Returns the number of workers that exited unexpectedly. */
  workersLost(): number
  /** Returns the last reload; null before the first one, and without workers. */
  lastReload(): Reload | null
}

/** Creates the metrics, in a registry of their own: the app may have others in the default one. */
export function createMetrics(
  { counts: readCounts, processes, ...source }: MetricsSource,
  writer: Pick<LedgerWriter, 'stats'>,
) {
  const registry = new prometheus.Registry()
  if (processes === null) prometheus.collectDefaultMetrics({ register: registry })
  const setters = [
    measureRequests(registry),
    measureCache(registry),
    measureStore(registry),
    measureProcesses(registry, source),
    measureLedger(registry, writer),
  ]
  return {
    contentType: registry.contentType,
    /** Returns all metrics in the text format of Prometheus. */
    async text() {
      const [counts, processText] = await Promise.all([readCounts(), processes?.().then(writeProcesses) ?? ''])
      for (const set of setters) set(counts)
      return [processText, await registry.metrics(), ...writeDurations(counts)].join('')
    },
  }
}

/** Sets the metrics of a registry to their current values. */
type SetMetrics = (counts: RequestCounts) => void

function measureRequests(registry: Registry): SetMetrics {
  const { counter, gauge } = metricsOf(registry)
  const requests = counter('hydrant_requests_total', 'Requests that got a response.', ['method', 'status', 'route'])
  const aborted = counter(
    'hydrant_requests_aborted_total',
    'Requests whose connection was closed before the response was complete.',
    ['route'],
  )
  const failures = counter('hydrant_failures_total', 'Occurrences of failures, by where they happened.', [
    'side',
    'phase',
    'route',
  ])
  const timeouts = counter('hydrant_timeouts_total', 'Guards, loads, actions and renders that timed out.', [
    'phase',
    'route',
  ])
  const shed = counter('hydrant_shed_total', 'Requests that were refused because the process was busy.', ['reason'])
  const inFlight = gauge('hydrant_requests_in_flight', 'Requests in flight.')
  const connections = gauge('hydrant_connections', 'Open connections.')
  const renders = gauge('hydrant_renders', 'Render slots that are taken.')
  const maxRenders = gauge('hydrant_max_renders', 'The render slots of all processes: `limits.maxRenders` of each.')
  const streams = gauge('hydrant_live_streams', 'Open streams of live pages.')
  const foreign = counter('hydrant_foreign_assets_total', 'Assets of other builds that were asked for.', ['result'])
  return (all) => {
    for (const each of [requests, aborted, failures, timeouts, shed, foreign]) each.reset()
    for (const { route, ...counts } of all.routes) {
      for (const { method, status, count } of counts.requests) requests.inc({ method, status, route }, count)
      for (const { side, phase, count } of counts.failures) failures.inc({ side, phase, route }, count)
      for (const { phase, count } of counts.timeouts) timeouts.inc({ phase, route }, count)
      if (counts.aborted > 0) aborted.inc({ route }, counts.aborted)
    }
    for (const [reason, count] of Object.entries(all.shed)) shed.inc({ reason }, count)
    inFlight.set(all.inFlight)
    connections.set(all.connections)
    renders.set(all.renders.taken)
    maxRenders.set(all.renders.max)
    streams.set(all.streams)
    for (const [result, count] of Object.entries(all.foreignAssets)) foreign.inc({ result }, count)
  }
}

function measureCache(registry: Registry): SetMetrics {
  const { counter, gauge } = metricsOf(registry)
  const responses = counter('hydrant_cache_responses_total', 'Responses of pages with the export `cache`.', [
    'route',
    'result',
  ])
  const refused = counter(
    'hydrant_cache_refused_total',
    'Responses of such pages that were not stored, by the reason.',
    ['route', 'reason'],
  )
  const evictions = counter('hydrant_cache_evictions_total', 'Stored responses removed because the memory was full.')
  const invalidations = counter('hydrant_cache_invalidations_total', 'Calls that invalidate or clear the page cache.')
  const entries = gauge('hydrant_cache_entries', 'Responses in the page cache.')
  const bytes = gauge('hydrant_cache_bytes', 'The memory that they take.')
  return ({ routes, stored }) => {
    for (const each of [responses, refused, evictions, invalidations]) each.reset()
    for (const { route, ...counts } of routes) {
      for (const { result, count } of counts.cached) responses.inc({ route, result }, count)
      for (const { reason, count } of counts.refused) refused.inc({ route, reason }, count)
    }
    evictions.inc(stored.evictions)
    invalidations.inc(stored.invalidations)
    entries.set(stored.entries)
    bytes.set(stored.bytes)
  }
}

/** A site without a store has no metrics of one. */
function measureStore(registry: Registry): SetMetrics {
  let set: ((counts: StoreCounts) => void) | null = null
  return ({ store }) => {
    if (store === null) return
    set ??= createStoreSetter(registry)
    set(store)
  }
}

function createStoreSetter(registry: Registry) {
  const { counter, gauge } = metricsOf(registry)
  const up = gauge('hydrant_cache_store_up', '1 if all processes use the store of the page cache, otherwise 0.')
  const late = counter('hydrant_cache_store_late_total', 'Calls to the store that got no response in time.')
  const waiting = gauge('hydrant_cache_invalidations_waiting', 'Invalidations that the store has not recorded yet.')
  return (counts: StoreCounts) => {
    up.set(Number(counts.isUp))
    late.reset()
    late.inc(counts.late)
    waiting.set(counts.waiting)
  }
}

function measureProcesses(
  registry: Registry,
  { served, workersLost, lastReload }: Pick<MetricsSource, 'served' | 'workersLost' | 'lastReload'>,
): SetMetrics {
  const { counter, gauge } = metricsOf(registry)
  const processes = gauge('hydrant_processes', 'Processes that serve the site, by its release.', ['release'])
  const info = gauge('hydrant_build_info', 'Always 1. The labels say which versions are running.', [
    'version',
    'release',
    'build',
    'node',
    'react',
  ])
  const lost = counter('hydrant_workers_lost_total', 'Workers that exited without being asked to.')
  const reloadedAt = gauge('hydrant_last_reload_timestamp_seconds', 'When the last reload ended; 0 before the first.')
  const isReloaded = gauge(
    'hydrant_last_reload_successful',
    '0 if the last reload failed, otherwise 1; 1 before the first.',
  )
  const lostLines = counter('hydrant_log_lines_lost_total', 'Log lines that could not be written.')
  let releases: readonly string[] = ['']
  return ({ logLinesLost }) => {
    for (const each of [processes, info, lost, lostLines]) each.reset()
    const running = served()
    // While no process serves, the last releases have the value 0: alerts do not notice a metric without samples.
    if (running.length > 0) releases = running.map(({ release }) => release)
    for (const release of releases) processes.set({ release }, 0)
    for (const { release, build } of running) {
      processes.inc({ release })
      info.set({ version: VERSION, release, build, node: process.versions.node, react }, 1)
    }
    lost.inc(workersLost())
    lostLines.inc(logLinesLost)
    const reload = lastReload()
    reloadedAt.set(reload === null ? 0 : reload.at / 1_000)
    isReloaded.set(Number(reload?.isDone ?? true))
  }
}

function measureLedger(registry: Registry, writer: Pick<LedgerWriter, 'stats'>): SetMetrics {
  const { counter, gauge } = metricsOf(registry)
  const queue = gauge('hydrant_ledger_queue', 'Occurrences of failures that wait to be written to the ledger.')
  const written = counter('hydrant_ledger_written_total', 'Occurrences of failures written to the ledger.')
  const dropped = counter('hydrant_ledger_dropped_total', 'Occurrences of failures lost because the queue was full.')
  const inMemory = counter(
    'hydrant_ledger_memory_total',
    'Occurrences of failures that are only in memory until the process ends, because the ledger cannot be written.',
  )
  return () => {
    for (const each of [written, dropped, inMemory]) each.reset()
    const stats = writer.stats()
    queue.set(stats.queued)
    written.inc(stats.written)
    dropped.inc(stats.dropped)
    inMemory.inc(stats.inMemory)
  }
}

function metricsOf(registry: Registry) {
  const registers = [registry]
  return {
    counter: (name: string, help: string, labelNames: string[] = []) =>
      new prometheus.Counter({ name, help, labelNames, registers }),
    gauge: (name: string, help: string, labelNames: string[] = []) =>
      new prometheus.Gauge({ name, help, labelNames, registers }),
  }
}

function writeDurations({ routes, render, firstByte, times, store }: RequestCounts): string[] {
  const ofRoutes = (step: 'guards' | 'loads' | 'actions') =>
    routes.flatMap(({ route, [step]: counts }): Series[] => (counts === null ? [] : [{ labels: { route }, counts }]))
  const requests = routes.flatMap(({ route, durations }) =>
    durations.map(({ statusClass, histogram }): Series => {
      return { labels: { route, status_class: `${statusClass}xx` }, counts: histogram }
    }),
  )
  const steps = times.steps.flatMap(({ route, kind, subject, counts, sumMs }): Series[] => {
    if (kind === 'request') return []
    const labels = { route, step: kind, file: subject }
    return [{ labels, counts: { counts: coarseCounts(counts), sumMs } }]
  })
  const all: [name: string, help: string, Series[]][] = [
    ['request_duration', 'From the start of a request to the end of its response.', requests],
    ['guard_duration', 'The guards of a page and its layouts, which run one after another.', ofRoutes('guards')],
    ['load_duration', 'The loads of a page and its layouts, which run at the same time.', ofRoutes('loads')],
    ['step_duration', 'Each guard, load, action and other step, by its file or place.', steps],
    ['action_duration', 'The action of a page, after its form was received.', ofRoutes('actions')],
    ['render_duration', 'Rendering a document: all of it, or its shell.', [{ labels: {}, counts: render }]],
    ['first_byte', 'From a request for a page to the start of its document.', [{ labels: {}, counts: firstByte }]],
  ]
  if (store) {
    const calls = store.durations.map(({ operation, histogram }) => ({ labels: { operation }, counts: histogram }))
    all.push(['cache_store_duration', 'Calls to the store of the page cache, by what they do.', calls])
  }
  return all.map(([name, help, series]) => writeHistograms(`hydrant_${name}_seconds`, help, series))
}
