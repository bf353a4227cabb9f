import { setTimeout as wait } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { readHeld } from '../process-tree.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { type Edit, type Kind, writeEdit } from './kinds.ts'
import { FIRST, LEAF } from './sources.ts'
import type { Subject } from './subjects.ts'
import { openTab, type Tab } from './tab.ts'

/** Edits that are made before those that are measured. */
const WARM_UPS = 3
/** A kind of edit that the page does not show so many times is given up. */
const MAX_MISSES = 3
const FIRST_MARKS = { [`component-${LEAF}`]: FIRST }
/** A server is at rest when it has used no processor for this time. */
const REST_MS = 120
const SETTLE_MS = 10_000

/** A running server with a page of it in the browser. */
export interface Session {
  subject: Subject
  server: ServerProcess
  tab: Tab
}

export interface Result {
  /** The time from the write to the paint in milliseconds, or null when it was never painted. */
  ms: number | null
  /** The number of documents that the page loaded because of the edit. */
  reloads: number
  /** Whether the counters, the input and the scroll position stayed as they were. */
  isKept: boolean
}

export async function startSession(browser: Browser, subject: Subject): Promise<Session> {
  subject.create()
  const { dir, words } = subject
  // Without CI, Vite ends when its input does.
  const env = { NODE_ENV: 'development', CI: 'true' }
  const server = await startServer({ words: [process.execPath, ...words], dir, path: '/', log: `${dir}.log`, env })
  try {
    const tab = await openTab(browser, FIRST_MARKS)
    if (!(await tab.open(server.url, FIRST_MARKS))) throw new Error(`${subject.name} does not show its first page.`)
    return { subject, server, tab }
  } catch (error) {
    await server.stop()
    throw error
  }
}

export async function endSession({ server, tab }: Session) {
  await tab.close()
  await server.stop()
}

/** Makes edits of one kind. The sessions take turns, so that a slow phase of the machine affects all of them. */
export async function makeEdits(
  sessions: readonly Session[],
  kind: Kind,
  edits: number,
): Promise<Map<Subject['name'], Result[]>> {
  const takingPart = sessions.filter(({ subject }) => !kind.isHydrantOnly || subject.name === 'Hydrant')
  const results = new Map<Session, Result[]>(takingPart.map((session) => [session, []]))
  for (let turn = 0; turn < WARM_UPS + edits; turn++) {
    const order = [...results]
    if (turn % 2 === 1) order.reverse()
    for (const [session, own] of order) {
      if (own.length === MAX_MISSES && own.every(({ ms }) => ms === null)) continue
      own.push(await makeEdit(session, kind.edit(session.subject, `${kind.name} ${turn}`), turn))
    }
  }
  return new Map(
    [...results].map(([{ subject }, own]) => [subject.name, own.length > WARM_UPS ? own.slice(WARM_UPS) : own]),
  )
}

async function makeEdit({ subject, server, tab }: Session, edit: Edit, turn: number): Promise<Result> {
  server.check()
  await tab.setState(`note ${turn}`)
  await settle(server)
  const before = await tab.readState()
  const ms = await tab.measure(edit.marks, () => writeEdit(subject, edit))
  await settle(server)
  const after = await tab.readState()
  // A fresh document must not inherit the fault.
  if (ms === null) await tab.open(server.url, {})
  return { ms, reloads: after.documents - before.documents, isKept: after.kept === before.kept }
}

/** Waits until the server and its processes use no processor, ten seconds at most. */
async function settle({ pid }: ServerProcess) {
  const end = performance.now() + SETTLE_MS
  for (let before = readHeld(pid).processorTicks; ; ) {
    await wait(REST_MS)
    const now = readHeld(pid).processorTicks
    if (now === before || performance.now() > end) return
    before = now
  }
}
