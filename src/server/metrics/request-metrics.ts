import type { FailureRecord } from '../errors/failure-record.ts'
import { lostLogLines } from '../log/output.ts'
import { addHistograms, createHistogram, type HistogramCounts } from './histogram.ts'
import type { MetricsRecorder } from './metrics-recorder.ts'
import { addRouteCounts, createRouteMetrics, type RouteCounts, type RouteMetrics } from './route-metrics.ts'

/** What a process has counted since it started, and what it has now: plain data, which can be sent and added up. */
export interface RequestCounts {
  routes: RouteCounts[]
  render: HistogramCounts
  firstByte: HistogramCounts
  /** Requests that were refused, as the event loop was too late. */
  shed: number
  /** Lines of the log that could not be written. */
  logLinesLost: number
  /** Requests that are being answered now. */
  inFlight: number
  /** Connections that are open now. */
  connections: number
}

export interface RequestMetrics {
  measures: MetricsRecorder
  failed(failure: Pick<FailureRecord, 'side' | 'phase' | 'route'>): void
  read(): RequestCounts
}

/** Everything that has no route of its own. */
const OTHER = '*'
/** So many have counts of their own, and the others are counted as everything else: each is some forty numbers. */
const MAX_ROUTES = 1_000

export function createRequestMetrics(): RequestMetrics {
  const routes = new Map<string, RouteMetrics>()
  const render = createHistogram()
  const firstByte = createHistogram()
  let shed = 0
  let inFlight = 0
  let connections = 0

  function of(route: string): RouteMetrics {
    return routes.get(route) ?? add(routes.size < MAX_ROUTES ? route : OTHER)
  }

  function add(route: string): RouteMetrics {
    const tally = routes.get(route) ?? createRouteMetrics(route)
    routes.set(route, tally)
    return tally
  }

  return {
    measures: {
      watch: (server) =>
        void server.on('connection', (socket) => {
          connections++
          socket.once('close', () => connections--)
        }),
      began: () => void inFlight++,
      ended: () => void inFlight--,
      answered: (route, method, status, durationMs) => of(route).answered(method, status, durationMs),
      aborted: (route) => of(route).aborted(),
      loaded: (route, durationMs) => of(route).loaded(durationMs),
      acted: (route, durationMs) => of(route).acted(durationMs),
      timedOut: (route, phase) => of(route).timedOut(phase),
      rendered: render.observe,
      firstByte: firstByte.observe,
      shed: () => void shed++,
    },
    // What happens outside of any request has no route.
    failed: ({ side, phase, route }) => of(route ?? '').failed(side, phase),
    read: () => ({
      routes: [...routes.values()].map((tally) => tally.read()),
      render: render.read(),
      firstByte: firstByte.read(),
      shed,
      logLinesLost: lostLogLines(),
      inFlight,
      connections,
    }),
  }
}

export function addRequestCounts(tallies: readonly RequestCounts[]): RequestCounts {
  const byRoute = new Map<string, RouteCounts[]>()
  for (const { routes } of tallies)
    for (const counts of routes) byRoute.set(counts.route, [...(byRoute.get(counts.route) ?? []), counts])
  const sum = (read: (tally: RequestCounts) => number) => tallies.reduce((total, tally) => total + read(tally), 0)
  return {
    routes: [...byRoute].map(([route, counts]) => addRouteCounts(route, counts)),
    render: addHistograms(tallies.map(({ render }) => render)),
    firstByte: addHistograms(tallies.map(({ firstByte }) => firstByte)),
    shed: sum(({ shed }) => shed),
    logLinesLost: sum(({ logLinesLost }) => logLinesLost),
    inFlight: sum(({ inFlight }) => inFlight),
    connections: sum(({ connections }) => connections),
  }
}

/** What is left of a process that has ended: what it has counted, and nothing that it had at the time. */
export function endRequestCounts(tally: RequestCounts): RequestCounts {
  return { ...tally, inFlight: 0, connections: 0 }
}
