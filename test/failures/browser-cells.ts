import type { Response } from 'playwright-core'
import type { Test } from 'tap'
import { type Chromium, launchChromium, type OpenPage } from '../browser/chromium.ts'
import { findDifferences } from '../differences.ts'
import { mapConcurrently } from '../http-client.ts'
import type { SiteServer } from '../site-server.ts'
import { checkHeaders } from './check-answer.ts'
import { checkLog } from './check-log.ts'
import { checkSight } from './check-sight.ts'
import { type Outcome, type Position, thrownAt, thrownKinds, thrownPosition } from './positions.ts'
import { look, type Sight } from './sight.ts'
import { saidHost, urlOf, type Way } from './ways.ts'

export type BrowserName = 'J' | 'N'

export const BROWSERS: Record<BrowserName, string> = {
  J: 'a browser',
  N: 'a browser without JavaScript',
}

/** A position and how the browser reaches it. */
export interface Planned {
  way: Way
  position: Position
}

interface Cell extends Planned {
  client: BrowserName
}

interface Visit {
  response: Response
  headers: Record<string, string>
  sight: Sight
}

const PAGES = 3
/** After this many pages that do not load, the test stops. */
const MAX_ERRORS = 6

/** Opens every page of the matrix in Chromium, then checks what each page showed and the log lines. */
export async function checkBrowserCells(
  t: Test,
  client: BrowserName,
  { site, visits: planned }: { site: SiteServer; visits: readonly Planned[] },
) {
  const chromium = await launchChromium(t)
  const pages = await openPages(chromium, client)
  const cells = planned.map((visit): Cell => ({ ...visit, client }))
  let errorCount = 0
  const visits = await mapConcurrently(cells, PAGES, async (cell, worker) => {
    if (errorCount > MAX_ERRORS) return new Error('left out after too many errors')
    try {
      // Each worker has one page.
      return await visit(pages[worker] as OpenPage, cell)
    } catch (error) {
      errorCount++
      return error as Error
    }
  })
  await site.settleLog()
  const nameOf = ({ way, position }: Cell) => `${position.code}: ${BROWSERS[client]}, ${way.name}`
  const differences = await findDifferences(cells, nameOf, (checks, cell, index) => {
    const { way, position } = cell
    const visit = visits[index]
    if (!visit || visit instanceof Error) throw visit
    const { response, headers, sight } = visit
    const announced = checkHeaders(checks, response.status(), headers, position.outcomes[client])
    const shown = checkSight(checks, sight, cell, saidHost(way, client))
    if (announced !== null) checks.equal(shown, announced, 'headers and page have the same digest')
    checkLog(checks, site.linesOf(String(headers['x-request-id'])), cell, shown)
  })
  t.strictSame(differences, {}, `${cells.length} pages`)
}

export function planAll(ways: readonly Way[], positions: readonly Position[]): Planned[] {
  // On plain http the site refuses a form as another site's if its proxy hides the host or drops the port.
  const isSent = (way: Way, { method }: Position) => !method || way.address === '127.0.0.1'
  return ways.flatMap((way) =>
    positions.filter((position) => isSent(way, position)).map((position) => ({ way, position })),
  )
}

/** F13: each kind at each place, and each kind on each way. (The HTTP clients cover all kinds on all ways.) */
export function planThrown(ways: readonly Way[]): Planned[] {
  return thrownKinds.flatMap(({ kind }, index) =>
    thrownAt.flatMap((at, place) => {
      const way = ways[(index + place) % ways.length]
      return way ? [{ way, position: thrownPosition(kind, at) }] : []
    }),
  )
}

function openPages(chromium: Chromium, client: BrowserName): Promise<OpenPage[]> {
  return Promise.all(Array.from({ length: PAGES }, () => chromium.open({ javaScript: client === 'J' })))
}

async function visit(open: OpenPage, { way, position, client }: Cell): Promise<Visit> {
  const outcome = position.outcomes[client]
  const response = await open.goto(urlOf(way, position.path), client === 'J' ? 'commit' : 'load')
  if (position.method) return send(open, position, client)
  const headers = response.headers()
  if (client === 'J') {
    await open.hydrated()
    if (position.settles) await open.hasText('main', position.settles)
    await arrived(open, outcome)
  }
  return { response, headers, sight: await look(open, position) }
}

// With JavaScript the form is handled in place.
async function send(open: OpenPage, position: Position, client: BrowserName): Promise<Visit> {
  if (client === 'J') await open.hydrated()
  const { page } = open
  const [response] = await Promise.all([
    page.waitForResponse((answer) => answer.request().method() === 'POST'),
    client === 'N' && page.waitForEvent('load'),
    open.click('#fail'),
  ])
  await open.shown('[role=alert]')
  return { response, headers: response.headers(), sight: await look(open, position) }
}

const PATIENCE_MS = 10_000

/**
 * Runs in the page. Resolves when all alerts contain the host of the URL, or after `patienceMs`. The texts are
 * checked later.
 */
function waitForOwnHost(patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, patienceMs)
    const check = () => {
      const alerts = [...document.querySelectorAll('[role=alert]')]
      if (alerts.every(({ textContent }) => textContent?.includes(location.hostname))) resolve()
      else setTimeout(check, 30)
    }
    check()
  })
}

/** Resolves when the page shows its final state. */
async function arrived(open: OpenPage, outcome: Outcome) {
  switch (outcome.kind) {
    case 'late':
    case 'failure':
      await open.shown('[role=alert]')
      // A failure page of the site shows the server's host until React has rendered it again.
      return open.evaluate(waitForOwnHost, PATIENCE_MS)
    case 'recovered':
      return void (await open.shown('#recovered'))
    default:
  }
}
