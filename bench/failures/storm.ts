import { Asker, BROWSER } from '../asker.ts'
import { readHeld } from '../process-tree.ts'
import type { ServerProcess } from '../server-process.ts'
import { CONNECTIONS, TURN_MS } from '../turns.ts'

/** Working pages during many other requests, compared with working pages without them, one item per part. */
export interface StormFigures {
  requests: number
  seconds: number
  /** The share that working pages keep next to requests that do not fail. */
  nextToWorking: readonly number[]
  /** The share that working pages keep next to failures. */
  nextToFailing: readonly number[]
  /** Resident memory in MB before the failures, the most during them, and after them. */
  memoryMb: readonly [before: number, most: number, after: number]
}

export const WARM_UP_MS = 4_000
/** The paths of a page that works and of the same page when its load fails. */
export const WORKING = '/?part=none'
const FAILING = '/?part=load'

const EQUAL_PER_MINUTE = 100_000
const DIFFERENT_PER_MINUTE = 1_000
const PART_MS = 500
/** One of `EACH` failures of the storm is a different one. */
const EACH = Math.floor((EQUAL_PER_MINUTE + DIFFERENT_PER_MINUTE) / DIFFERENT_PER_MINUTE)

/**
 * Sends 101,000 failures a minute at an even pace, and as many requests that do not fail. Working pages are requested
 * during both, and without them in breaks.
 */
export async function measureStorm(server: ServerProcess, seconds: number): Promise<StormFigures> {
  const requests = Math.round(((EQUAL_PER_MINUTE + DIFFERENT_PER_MINUTE) * seconds) / 60)
  const working = await weather(server, seconds, requests, () => WORKING)
  const failing = await weather(server, seconds, requests, failingPath)
  return {
    ...{ requests, seconds, nextToWorking: working.kept, nextToFailing: failing.kept },
    memoryMb: failing.memoryMb,
  }
}

async function weather(server: ServerProcess, seconds: number, requests: number, pathOf: (index: number) => string) {
  const readMemory = () => Math.round(readHeld(server.pid).residentMb)
  const [working, storm] = [await connect(server), await connect(server)]
  const paths = Array.from({ length: requests }, (_, index) => pathOf(index))
  const parts = Math.ceil((seconds * 1_000) / PART_MS)
  const before = readMemory()
  await working.saturate(WORKING, WARM_UP_MS)
  const without = [await working.saturate(WORKING, TURN_MS)]
  const kept: number[] = []
  let most = 0
  for (let part = 0; part < parts; part++) {
    const [from, to] = [part, part + 1].map((edge) => Math.round((edge / parts) * paths.length))
    const [rate] = await Promise.all([working.saturate(WORKING, PART_MS), storm.pace(paths.slice(from, to), PART_MS)])
    most = Math.max(most, readMemory())
    without.push(await working.saturate(WORKING, TURN_MS))
    const [earlier = 0, later = 0] = without.slice(-2)
    kept.push(rate / ((earlier + later) / 2))
  }
  working.close()
  storm.close()
  const memoryMb: StormFigures['memoryMb'] = [before, most, readMemory()]
  return { kept, memoryMb }
}

// The different failures are spread evenly between the equal ones. Their words consist of letters: numbers do not
// change the fingerprint.
function failingPath(index: number): string {
  return index % EACH === 0 ? `/?word=${wordOf(index / EACH)}` : FAILING
}

function wordOf(number: number): string {
  return [...String(number)].map((digit) => 'ghijklmnop'.charAt(Number(digit))).join('')
}

export function connect({ url }: ServerProcess, headers = BROWSER): Promise<Asker> {
  return Asker.connect(url, CONNECTIONS, headers)
}
