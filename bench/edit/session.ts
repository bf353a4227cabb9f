import type { Browser } from 'playwright-core'
import { type Edit, type Kind, NEW_PAGE, newPagePath, removeEdit, writeEdit } from './kinds.ts'
import { type RunningServer, startServer } from './server.ts'
import { FIRST, LEAF } from './sources.ts'
import type { Subject } from './subjects.ts'
import { openTab, type Tab } from './tab.ts'

/** Edits that are made before those that are measured. */
const WARM_UPS = 3
/** A kind of edit that the page does not show so many times is given up. */
const MAX_MISSES = 3
const FIRST_MARKS = { [`component-${LEAF}`]: FIRST }

/** A running server with a page of it in the browser. */
export interface Session {
  subject: Subject
  server: RunningServer
  tab: Tab
}

/** The times of one start, from the start of the process, in milliseconds. */
export interface Start {
  answered: number
  painted: number
  interactive: number
}

export interface Result {
  /** The time from the write to the paint in milliseconds, or null when it was never painted. */
  ms: number | null
  /** The number of frames that showed a part of the edit. */
  updates: number
  /** The number of documents that the page loaded because of the edit. */
  reloads: number
  /** Whether the counters, the input and the scroll position stayed as they were; null for a new page. */
  isKept: boolean | null
}

export async function startSession(browser: Browser, subject: Subject): Promise<{ session: Session; start: Start }> {
  const server = await startServer(subject)
  try {
    const tab = await openTab(browser, FIRST_MARKS)
    const painted = await tab.open(server.url, FIRST_MARKS)
    if (painted === null) throw new Error(`${subject.name} does not show its first page.`)
    await tab.setState('started')
    const interactive = performance.now() - server.startedAt
    const start = { answered: server.readyMs, painted: painted - server.startedAt, interactive }
    return { session: { subject, server, tab }, start }
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
): Promise<Map<Session, Result[]>> {
  const takingPart = sessions.filter(({ subject }) => !kind.isHydrantOnly || subject.name === 'Hydrant')
  const results = new Map<Session, Result[]>(takingPart.map((session) => [session, []]))
  const made: [Session, Edit][] = []
  for (let turn = 0; turn < WARM_UPS + edits; turn++) {
    const order = [...results]
    if (turn % 2 === 1) order.reverse()
    for (const [session, own] of order) {
      if (own.length === MAX_MISSES && own.every(({ ms }) => ms === null)) continue
      const edit = kind.edit(session.subject, `${kind.name} ${turn}`)
      made.push([session, edit])
      own.push(await makeEdit(session, kind, edit, turn))
    }
  }
  if (kind.name === NEW_PAGE) await leaveNewPages(made)
  return new Map([...results].map(([session, own]) => [session, own.length > WARM_UPS ? own.slice(WARM_UPS) : own]))
}

async function makeEdit({ subject, server, tab }: Session, kind: Kind, edit: Edit, turn: number): Promise<Result> {
  server.check()
  const isNewPage = kind.name === NEW_PAGE
  // The page is not there yet, so the browser shows the 404 page.
  if (isNewPage) await tab.open(server.url + newPagePath(`${kind.name} ${turn}`), {})
  else await tab.setState(`note ${turn}`)
  await server.settle()
  const before = await tab.readState()
  const painted = await tab.measure(edit.marks, () => writeEdit(subject, edit))
  await server.settle()
  const after = await tab.readState()
  // A fresh document must not inherit the fault.
  if (!painted) await tab.open(server.url, {})
  return {
    ms: painted?.ms ?? null,
    updates: painted?.updates ?? 0,
    reloads: after.documents - before.documents,
    isKept: isNewPage ? null : after.kept === before.kept,
  }
}

async function leaveNewPages(made: readonly [Session, Edit][]) {
  for (const [{ subject }, edit] of made) removeEdit(subject, edit)
  for (const { server, tab } of new Set(made.map(([session]) => session))) {
    await server.settle()
    await tab.open(server.url, {})
  }
}
