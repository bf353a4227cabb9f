// A record of the benchmark with few figures.

const MEASURED = {
  ...{
    started: '2026-01-31T12:00:00.000Z',
    minutes: 2,
    commit: 'abc1234',
    problems: ['slow <b>: no answer\nat line 1'],
  },
  machine: { cpu: 'a & b', cores: 2, memoryGb: 8, kernel: 'Linux 6', node: 'v20.20.2', loadBefore: 0.1 },
  plan: { ...{ rounds: 2, seconds: 3, warmupSeconds: 9, samples: 2 }, ...{ sizes: [10, 1_000], repeats: 1, turns: 2 } },
}

/** A server that is measured in two rounds. */
function serverOf(perSecond: readonly number[], coldMs: number, versions: Record<string, string>) {
  const rounds = perSecond.map((rate) => ({ perSecond: rate, perCpuSecond: rate }))
  return {
    ...{ versions, load: { hello: rounds }, documentBytes: { hello: 1_000 }, firstByteMs: 1, scriptBytes: 70_000 },
    ...{ coldMs, idleMb: 50, buildMs: null, packages: null },
  }
}

function sizeOf(pages: number, buildMs: number, startMs: number) {
  const served = [1, 2].map((workers) => ({
    ...{ workers, startMs, idleMb: 80, firstByteMs: 1, firstVisitMs: 2, documentBytes: 1_400, clientBytes: 73_000 },
    ...{ requestBytes: 60_000, streamBytes: 30_000 },
  }))
  return { pages, buildMs, buildMb: 100, served }
}

/** Rates of three turns, in which the route is two, four and two times as fast as `stored`. */
const cacheRates = { stored: [10, 10, 20], stale: [9, 9, 18], missed: [1, 1, 2], uncached: [2, 2, 4] }
const cacheRuns = [1, 2].flatMap((workers) =>
  ['none', 'br', 'gzip'].map((encoding) => ({
    ...{ workers, encoding },
    rates: {
      ...{ ...cacheRates, route: [20, 40, 40], 'short route': [40, 40, 80] },
      ...(workers === 1 ? { bare: [40, 40, 80] } : {}),
    },
  })),
)

export const record = {
  format: 1,
  parts: {
    speed: {
      ...MEASURED,
      figures: {
        servers: {
          bare: serverOf([400, 800], 50, { react: '19.3.1' }),
          next: serverOf([20, 40], 500, { next: '16.4.6' }),
          hydrant: serverOf([200, 400], 100, { hydrant: '0.1.0' }),
        },
      },
    },
    growth: {
      ...MEASURED,
      figures: {
        sizes: [sizeOf(10, 1_000, 100), sizeOf(100, 1_100, 110), sizeOf(1_000, 2_000, 400)],
        next: {
          ...{ pages: 1_000, version: '16.4.6', nextMs: 40_000, nextMb: 900 },
          hydrantMs: [2_000],
          hydrantMb: 100,
        },
      },
    },
    tracker: {
      ...MEASURED,
      figures: {
        servers: { bare: { versions: { react: '19.3.1' } } },
        figures: [
          { title: '1,000 rows: load', unit: 'requests/s', isMoreBetter: true, samples: { bare: [2], hydrant: [1] } },
        ],
      },
    },
    cache: {
      ...MEASURED,
      figures: { runs: cacheRuns, firstBytes: { none: { ms: [0.1, 0.2, 0.3], ratios: [1, 1.5, 2] } } },
    },
  },
}
