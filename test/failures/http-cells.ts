import type { Test } from 'tap'
import { type Checks, findDifferences } from '../differences.ts'
import { createHttpClient, type HttpAnswer, mapConcurrently } from '../http-client.ts'
import type { LogLine, SiteServer } from '../site-server.ts'
import { checkBody, checkHeaders } from './check-answer.ts'
import { checkLog } from './check-log.ts'
import type { Client, Position } from './positions.ts'
import { saidHost, type Way } from './ways.ts'

export type HttpClientName = Extract<Client, 'H' | 'A' | 'B'>

const HEADERS: Record<HttpClientName, Record<string, string>> = {
  H: { accept: '*/*' },
  A: { accept: 'application/json' },
  B: {
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  },
}

export const HTTP_CLIENTS: Record<HttpClientName, string> = {
  H: 'an HTTP client',
  A: 'a client that asks for JSON',
  B: 'a crawler',
}

const CONCURRENCY = 8

/** Sends every request of the matrix, then checks all responses and their log lines. */
export async function checkHttpCells(
  t: Test,
  { site, ways, positions }: { site: SiteServer; ways: readonly Way[]; positions: readonly Position[] },
  checkMore: (checks: Checks, position: Position, lines: readonly LogLine[], client: HttpClientName) => void = () => {},
) {
  const http = createHttpClient(t)
  const clients = Object.keys(HEADERS) as HttpClientName[]
  const cells = ways.flatMap((way) =>
    positions.flatMap((position) => clients.map((client) => ({ way, position, client }))),
  )
  const answers = await mapConcurrently(cells, CONCURRENCY, ({ way, position, client }) => {
    const headers = { host: `${way.address}:${way.port}`, ...HEADERS[client] }
    return http.send({ port: way.port, path: position.path, headers, method: position.method ?? 'GET' })
  })
  await site.settleLog()
  const nameOf = ({ way, position, client }: (typeof cells)[number]) =>
    `${position.code}: ${HTTP_CLIENTS[client]}, ${way.name}`
  const differences = await findDifferences(cells, nameOf, (checks, cell, index) => {
    const { way, position, client } = cell
    const answer = answers[index] as HttpAnswer
    const outcome = position.outcomes[client]
    const announced = checkHeaders(checks, answer.status, answer.headers, outcome)
    const shown = checkBody(checks, answer, position, outcome, saidHost(way, client))
    if (announced !== null) checks.equal(shown, announced, 'headers and body have the same digest')
    const lines = site.linesOf(String(answer.headers['x-request-id']))
    checkLog(checks, lines, cell, shown)
    checkMore(checks, position, lines, client)
  })
  t.strictSame(differences, {}, `${cells.length} requests`)
}
