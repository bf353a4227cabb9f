import type { Test } from 'tap'
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

/** Sends every request of the matrix, then checks each response and its log lines. */
export async function checkHttpCells(
  t: Test,
  { site, ways, positions }: { site: SiteServer; ways: readonly Way[]; positions: readonly Position[] },
  checkMore: (t: Test, position: Position, lines: readonly LogLine[], client: HttpClientName) => void = () => {},
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
  for (const [index, cell] of cells.entries()) {
    const { way, position, client } = cell
    const answer = answers[index] as HttpAnswer
    const outcome = position.outcomes[client]
    await t.test(`${position.code}: ${HTTP_CLIENTS[client]}, ${way.name}`, async (t) => {
      const announced = checkHeaders(t, answer.status, answer.headers, outcome)
      const shown = checkBody(t, answer, position, outcome, saidHost(way, client))
      if (announced !== null) t.equal(shown, announced, 'headers and body have the same digest')
      const lines = site.linesOf(String(answer.headers['x-request-id']))
      checkLog(t, lines, cell, shown)
      checkMore(t, position, lines, client)
    })
  }
}
