import type { Figure, Ratios } from './ratios.ts'

/** The parts of the benchmark's record that are read here. */
interface BenchRecord {
  format: 1
  parts: {
    speed?: Part<SpeedFigures> & {
      started: string
      commit: string
      machine: { cpu: string; cores: number; node: string }
    }
    navigation?: Part<{ paintedMs: number }[]>
    hydration?: Part<{ interactiveMs: number }[]>
  }
}

interface Part<Figures> {
  figures: { servers: Record<string, Figures> }
}

interface SpeedFigures {
  load: Partial<Record<string, { perSecond: number; perCpuSecond: number }[]>>
  documentBytes: Partial<Record<string, number>>
  firstByteMs: number | null
  scriptBytes: number | null
  coldMs: number | number[] | null
  idleMb: number | null
  buildMs: number | null
  packages: number | null
}

/** The samples of a server; those with the same place are of one round. */
type Samples = readonly number[]

const HYDRANT = 'hydrant'

/**
 * Returns the ratios of a record to the servers in a list with lines like `next-app: Next.js, app router`. Returns null
 * if there is no record of their speed. Throws if the record has another format.
 */
export function compareFrameworks(list: string, recordText: string | null): Ratios | null {
  if (recordText === null) return null
  // The cast follows bench/record.ts, whose format is checked next.
  const record = JSON.parse(recordText) as BenchRecord
  if (record.format !== 1) throw new Error('the record of the benchmark has another format')
  const { speed } = record.parts
  if (!speed) return null
  const servers = [...list.matchAll(/^([^:\n]+): (.+)$/gm)]
    .map(([, id = '', name = '']) => ({ id, name }))
    .filter(({ id }) => Object.hasOwn(speed.figures.servers, id))
  const { cpu, cores, node } = speed.machine
  return {
    date: speed.started.slice(0, 10),
    commit: speed.commit,
    machine: `${cores} cores of ${cpu}, Node.js ${node}`,
    servers: servers.map(({ name }) => name),
    figures: listFigures(record).map(({ title, isMoreBetter, samplesOf }): Figure => {
      const own = samplesOf(HYDRANT)
      return { title, ratios: servers.map(({ id }) => ratioOf(own, samplesOf(id), isMoreBetter)) }
    }),
  }
}

interface FigureSource {
  title: string
  isMoreBetter: boolean
  samplesOf: (server: string) => Samples
}

function listFigures({ parts: { speed, navigation, hydration } }: BenchRecord): FigureSource[] {
  const ofSpeed = (
    title: string,
    read: (server: SpeedFigures) => Samples | number | null | undefined,
  ): FigureSource => ({
    title,
    isMoreBetter: false,
    samplesOf(name) {
      const server = speed?.figures.servers[name]
      return server ? [read(server) ?? []].flat() : []
    },
  })
  const ofLoad = (title: string, page: string, name: 'perSecond' | 'perCpuSecond'): FigureSource => ({
    ...ofSpeed(title, ({ load }) => load[page]?.map((round) => round[name])),
    isMoreBetter: true,
  })
  return [
    ofLoad('Requests per second, small page', 'hello', 'perSecond'),
    ofLoad('Requests per second, 100 rows', 'data', 'perSecond'),
    ofLoad('Requests per second, 2,398 tiles', 'spiral', 'perSecond'),
    ofLoad('Streamed pages per second of processor time', 'stream', 'perCpuSecond'),
    ofSpeed('First byte of a stream', ({ firstByteMs }) => firstByteMs),
    ofSpeed('Scripts of a small page, gzip', ({ scriptBytes }) => scriptBytes),
    ofSpeed('Document of a small page', ({ documentBytes }) => documentBytes.hello),
    ofSamples('From a click to the paint', navigation, ({ paintedMs }) => paintedMs),
    ofSamples('Until 2,398 tiles are interactive', hydration, ({ interactiveMs }) => interactiveMs),
    ofSpeed('Build of four pages', ({ buildMs }) => buildMs),
    ofSpeed('Cold start', ({ coldMs }) => coldMs),
    ofSpeed('Idle memory', ({ idleMb }) => idleMb),
    ofSpeed('Installed packages', ({ packages }) => packages),
  ]
}

function ofSamples<One>(title: string, part: Part<One[]> | undefined, read: (one: One) => number): FigureSource {
  return { title, isMoreBetter: false, samplesOf: (name) => part?.figures.servers[name]?.map(read) ?? [] }
}

/** Returns the median of the ratios within the rounds, or null without one. */
function ratioOf(own: Samples, theirs: Samples, isMoreBetter: boolean): number | null {
  const ratios = theirs
    .slice(0, own.length)
    .map((their, round) => (own[round] ?? Number.NaN) / their)
    .map((ratio) => (isMoreBetter ? ratio : 1 / ratio))
    .filter(Number.isFinite)
    .sort((a, b) => a - b)
  const [low, high] = [ratios[(ratios.length - 1) >> 1], ratios[ratios.length >> 1]]
  return low === undefined || high === undefined ? null : Number(((low + high) / 2).toPrecision(6))
}
