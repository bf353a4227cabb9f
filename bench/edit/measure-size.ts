import type { Browser } from 'playwright-core'
import { editLeaf, type Kind, writeEdit } from './kinds.ts'
import { endSession, makeEdits, type Result, type Session, type Start, startSession } from './session.ts'
import type { Subject } from './subjects.ts'

export interface Plan {
  kinds: readonly Kind[]
  edits: number
  starts: number
  saves: number
}

/** Everything that was measured of one subject. */
export interface Measured {
  subject: Subject
  /** Starts without any cache. */
  first: Start[]
  /** Starts with the caches of the start before. */
  second: Start[]
  /** The results of each kind, in the order of the turns. */
  results: Map<Kind, Result[]>
  memory: Memory[]
}

/** Resident memory of a server after a number of saves. */
interface Memory {
  saves: number
  residentMb: number
}

const MEMORY_LOOKS = 10
/** The memory of a server that loses so many saves is not measured further. */
const MAX_LOST = 3

export function createMeasured(subject: Subject): Measured {
  return { subject, first: [], second: [], results: new Map(), memory: [] }
}

/** Measures all subjects in turns: only one of them is busy at a time. Adds the figures to `all`. */
export async function measureSize(
  browser: Browser,
  all: readonly Measured[],
  plan: Plan,
  note: (text: string) => void,
): Promise<void> {
  const sessions = new Map<Session, Measured>()
  try {
    for (let round = 1; round <= plan.starts; round++) {
      for (const measured of all) {
        note(`start ${round} of ${measured.subject.name}`)
        const session = await measureStarts(browser, measured)
        if (round < plan.starts) await endSession(session)
        else sessions.set(session, measured)
      }
    }
    for (const kind of plan.kinds) {
      note(`edits of ${kind.name}`)
      for (const [session, results] of await makeEdits([...sessions.keys()], kind, plan.edits)) {
        sessions.get(session)?.results.set(kind, results)
      }
    }
    if (plan.saves === 0) return
    for (const [session, { memory }] of sessions) await measureMemory(session, plan.saves, memory, note)
  } finally {
    for (const session of sessions.keys()) await endSession(session)
  }
}

/** Returns the session of the second start. */
async function measureStarts(browser: Browser, { subject, first, second }: Measured): Promise<Session> {
  subject.create()
  const cold = await startSession(browser, subject)
  first.push(cold.start)
  await endSession(cold.session)
  const warm = await startSession(browser, subject)
  second.push(warm.start)
  return warm.session
}

async function measureMemory(
  { subject, server, tab }: Session,
  saves: number,
  memory: Memory[],
  note: (text: string) => void,
) {
  const step = Math.ceil(saves / MEMORY_LOOKS)
  let lost = 0
  for (let save = 0; lost < MAX_LOST; save++) {
    // Watchers may drop a second change of a file within 50 ms, so each save waits for the one before.
    const { residentMb } = await server.settle()
    if (save % step === 0 || save === saves) {
      memory.push({ saves: save, residentMb })
      note(`${subject.name}: ${Math.round(residentMb)} MB after ${save} saves`)
    }
    if (save === saves) return
    const edit = editLeaf(`save ${save}`)
    if (await tab.measure(edit.marks, () => writeEdit(subject, edit))) continue
    lost++
    note(`${subject.name} does not show save ${save}`)
    await tab.open(server.url, {})
  }
}
