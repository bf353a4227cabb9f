import type { PageName, Round, ServerFigures } from '../compare/speed.ts'
import { HYDRANT } from '../compare/workspace.ts'
import type { BenchRecord } from '../record.ts'
import { median } from '../statistics.ts'

/** One figure of all servers. */
export interface Comparison {
  title: string
  unit: string
  isMoreBetter: boolean
  /** The median of each server. */
  values: ReadonlyMap<string, number>
  /** How many times better Hydrant is than each server: the median of the ratios within a round. */
  ratios: ReadonlyMap<string, number>
}

/** The samples of each server. Samples with the same place are of one round. */
type Samples = readonly (readonly [server: string, samples: readonly number[]])[]

const LOADS: readonly { page: PageName; title: string; unit: string; read: (round: Round) => number }[] = [
  { page: 'hello', title: 'small page', unit: 'requests/s', read: ({ perSecond }) => perSecond },
  { page: 'data', title: '100 rows', unit: 'requests/s', read: ({ perSecond }) => perSecond },
  { page: 'spiral', title: '2,398 tiles', unit: 'requests/s', read: ({ perSecond }) => perSecond },
  // The page waits for 50 ms, which limits its requests per second.
  { page: 'stream', title: 'streamed page', unit: 'requests/CPU s', read: ({ perCpuSecond }) => perCpuSecond },
]

const SINGLE: readonly { title: string; unit: string; read: (server: ServerFigures) => number | null }[] = [
  { title: 'first byte of a stream', unit: 'ms', read: ({ firstByteMs }) => firstByteMs },
  { title: 'scripts of the small page', unit: 'kB gzip', read: ({ scriptBytes }) => scriptBytes && scriptBytes / 1e3 },
  { title: 'document of the small page', unit: 'bytes', read: ({ documentBytes }) => documentBytes.hello ?? null },
  { title: 'cold start', unit: 'ms', read: ({ coldMs }) => coldMs },
  { title: 'idle memory', unit: 'MB', read: ({ idleMb }) => idleMb },
  { title: 'build of four pages', unit: 's', read: ({ buildMs }) => buildMs && buildMs / 1e3 },
  { title: 'installed packages', unit: 'packages', read: ({ packages }) => packages },
]

/** Returns the figures that several servers have. */
export function compareServers({ parts: { speed, navigation, hydration, tracker } }: BenchRecord): Comparison[] {
  const comparisons: Comparison[] = []
  if (speed) {
    const servers = Object.entries(speed.figures.servers)
    for (const { page, title, unit, read } of LOADS) {
      const samples = servers.map(([name, { load }]) => [name, load[page]?.map(read) ?? []] as const)
      comparisons.push(compare(title, unit, true, samples))
    }
    for (const { title, unit, read } of SINGLE) {
      const samples = servers.map(([name, server]) => [name, [read(server) ?? []].flat()] as const)
      comparisons.push(compare(title, unit, false, samples))
    }
  }
  if (navigation) {
    const servers = Object.entries(navigation.figures.servers)
    const samples = servers.map(([name, samples]) => [name, samples.map(({ paintedMs }) => paintedMs)] as const)
    comparisons.push(compare('click to paint', 'ms', false, samples))
  }
  if (hydration) {
    const servers = Object.entries(hydration.figures.servers)
    const samples = servers.map(([name, samples]) => [name, samples.map(({ interactiveMs }) => interactiveMs)] as const)
    comparisons.push(compare('2,398 tiles interactive', 'ms', false, samples))
  }
  for (const { title, unit, isMoreBetter, samples } of tracker?.figures.figures ?? [])
    comparisons.push(compare(title, unit, isMoreBetter, Object.entries(samples)))
  return comparisons.filter(({ values }) => values.size > 0)
}

/** Returns all servers but Hydrant, in the order of the record. */
export function otherServers(comparisons: readonly Comparison[]): string[] {
  return [...new Set(comparisons.flatMap(({ values }) => [...values.keys()]))].filter((name) => name !== HYDRANT)
}

function compare(title: string, unit: string, isMoreBetter: boolean, samples: Samples): Comparison {
  const measured = samples.filter(([, samples]) => samples.length > 0)
  const own = measured.find(([name]) => name === HYDRANT)?.[1] ?? []
  const ratios = measured.flatMap(([name, theirs]) => {
    const pairs = theirs.slice(0, own.length).map((their, round) => [own[round] ?? Number.NaN, their] as const)
    const ratio = median(pairs.map(([mine, their]) => (isMoreBetter ? mine / their : their / mine)))
    return name === HYDRANT || !Number.isFinite(ratio) ? [] : [[name, ratio] as const]
  })
  return {
    ...{ title, unit, isMoreBetter, ratios: new Map(ratios) },
    values: new Map(measured.map(([name, samples]) => [name, median(samples)])),
  }
}
