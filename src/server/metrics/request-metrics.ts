import type { FailureRecord } from '../errors/failure-record.ts'
import { lostLogLines } from '../log/output.ts'
import { addStoredCounts, endStoredCounts, type StoredCounts } from './cache-counts.ts'
import { addHistograms, createHistogram, type HistogramCounts } from './histogram.ts'
import { type MetricsRecorder, REFUSED_FOR, type RefusedFor } from './metrics-recorder.ts'
import { addRouteCounts, createRouteMetrics, type RouteCounts, type RouteMetrics } from './route-metrics.ts'

/** The counts of one process since its start, and its present state. Plain data, for messages between processes. */
export interface RequestCounts {
  routes: RouteCounts[]
  render: HistogramCounts
  firstByte: HistogramCounts
  /** The page caches of the sites. */
  stored: StoredCounts
  /** Requests that were refused because the process was busy. */
  shed: Record<RefusedFor, number>
  /** Log lines that could not be written. */
  logLinesLost: number
  /** Requests without a complete response. */
  inFlight: number
  /** Open connections. */
  connections: number
}

/** The metrics of the requests of one process. */
export interface RequestMetrics {
  recorder: MetricsRecorder
  countFailure(failure: Pick<FailureRecord, 'side' | 'phase' | 'route'>): void
  read(): RequestCounts
}

/** The label of all requests without a route of their own. */
const OTHER_ROUTES = '*'
/** Further routes are counted as `OTHER_ROUTES`. A route takes about forty numbers. */
const MAX_ROUTES = 1_000

export function createRequestMetrics(): RequestMetrics {
  const routes = new Map<string, RouteMetrics>()
  const render = createHistogram()
  const firstByte = createHistogram()
  const caches: (() => StoredCounts)[] = []
  const shed = countRefused(() => 0)
  let inFlight = 0
  let connections = 0

  function of(route: string): RouteMetrics {
    return routes.get(route) ?? add(routes.size < MAX_ROUTES ? route : OTHER_ROUTES)
  }

  function add(route: string): RouteMetrics {
    const metrics = routes.get(route) ?? createRouteMetrics(route)
    routes.set(route, metrics)
    return metrics
  }

  return {
    recorder: {
      now: () => performance.now(),
      countConnections: (server) =>
        void server.on('connection', (socket) => {
          connections++
          socket.once('close', () => connections--)
        }),
      requestStarted: () => void inFlight++,
      requestEnded: () => void inFlight--,
      responseSent: (route, method, status, durationMs) => of(route).responseSent(method, status, durationMs),
      requestAborted: (route) => of(route).requestAborted(),
      guardsEnded: (route, durationMs) => of(route).guardsEnded(durationMs),
      loadsEnded: (route, durationMs) => of(route).loadsEnded(durationMs),
      actionEnded: (route, durationMs) => of(route).actionEnded(durationMs),
      deadlinePassed: (route, phase) => of(route).deadlinePassed(phase),
      documentRendered: render.observe,
      firstByteSent: ({ elapsedTime }) => firstByte.observe(elapsedTime),
      cacheResponded: (route, result) => of(route).cacheResponded(result),
      cacheRefused: (route, reason) => of(route).cacheRefused(reason),
      countStored: (read) => void caches.push(read),
      requestShed: (reason) => void shed[reason]++,
    },
    // A failure outside of any request has no route.
    countFailure: ({ side, phase, route }) => of(route ?? '').countFailure(side, phase),
    read: () => ({
      routes: [...routes.values()].map((metrics) => metrics.read()),
      render: render.read(),
      firstByte: firstByte.read(),
      stored: addStoredCounts(caches.map((read) => read())),
      shed: { ...shed },
      logLinesLost: lostLogLines(),
      inFlight,
      connections,
    }),
  }
}

/** Adds up the counts of several processes. */
export function addRequestCounts(all: readonly RequestCounts[]): RequestCounts {
  const byRoute = new Map<string, RouteCounts[]>()
  for (const { routes } of all)
    for (const counts of routes) byRoute.set(counts.route, [...(byRoute.get(counts.route) ?? []), counts])
  const sum = (read: (counts: RequestCounts) => number) => all.reduce((total, counts) => total + read(counts), 0)
  return {
    routes: [...byRoute].map(([route, counts]) => addRouteCounts(route, counts)),
    render: addHistograms(all.map(({ render }) => render)),
    firstByte: addHistograms(all.map(({ firstByte }) => firstByte)),
    stored: addStoredCounts(all.map(({ stored }) => stored)),
    shed: countRefused((reason) => sum(({ shed }) => shed[reason])),
    logLinesLost: sum(({ logLinesLost }) => logLinesLost),
    inFlight: sum(({ inFlight }) => inFlight),
    connections: sum(({ connections }) => connections),
  }
}

function countRefused(read: (reason: RefusedFor) => number): Record<RefusedFor, number> {
  // The keys are those of the type.
  return Object.fromEntries(REFUSED_FOR.map((reason) => [reason, read(reason)])) as Record<RefusedFor, number>
}

/** Returns the final counts of a process that has ended: it has no open requests, connections or stored responses. */
export function endRequestCounts(counts: RequestCounts): RequestCounts {
  return { ...counts, inFlight: 0, connections: 0, stored: endStoredCounts(counts.stored) }
}
