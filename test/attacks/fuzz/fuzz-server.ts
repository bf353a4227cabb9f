// A server that gets unusual bytes over real connections.

import type { FastifyInstance } from 'fastify'
import { createRandom } from '../../shared/random.ts'
import type { LogLine } from '../../site-server.ts'
import { sendRaw } from '../raw.ts'
import { findFlaw } from './answers.ts'
import { mutate } from './mutate.ts'
import { REQUESTS } from './seeds.ts'

const page =
  'export default function Page({ data, params, url, actionData }) {\n  return <main title={url.search}>{JSON.stringify([data, params, url.href, actionData])}</main>\n}\n'
const load =
  'export const load = ({ params, url, request }) => ({ params, query: request.query, href: url.href, names: [...url.searchParams], agent: request.headers["user-agent"] ?? null })\n'

/** No page of it fails, so every error in the log is the server's own. */
export const SITE = {
  'pages/index.tsx': page,
  'pages/given/[name].tsx': page,
  'pages/given/[name].server.ts': load,
  'pages/rest/[...rest].tsx': page,
  'pages/rest/[...rest].server.ts': load,
  'pages/act.tsx': page,
  'pages/act.server.ts': `export const action = async ({ form, request }) => {
  const entries = await Promise.all([...form].map(async ([name, value]) => [name, typeof value === 'string' ? value : await value.text()]))
  return { entries, own: Object.fromEntries(entries), body: request.body instanceof FormData ? null : (request.body ?? null) }
}
`,
  'public/robots.txt': 'User-agent: *\n',
}

/** Options that make a server end every connection soon. */
export const FUZZ_OPTIONS = {
  ledger: false,
  timeouts: { requestMs: 250, headersMs: 250, keepAliveMs: 50 },
  reports: { maxPerAddress: 1_000_000 },
} as const

export interface Finding {
  request: string
  answer: string
  flaw: string
}

/**
 * Whether a line reports a failure of the server itself, which must not happen. Failures that browsers report do not
 * count.
 */
export const isOwnFailure = ({ side, digest }: LogLine) => side !== 'client' || typeof digest !== 'string'

export interface FuzzInput {
  app: FastifyInstance
  build: string
  seed: number
  isOver(): boolean
  /** Sent instead of generated requests. */
  requests?: readonly string[]
}

const AT_ONCE = 32

/** Sends requests until told to stop. */
export async function fuzzServer({
  app,
  build,
  seed,
  isOver,
  requests,
}: FuzzInput): Promise<{ count: number; findings: Finding[] }> {
  const port = Number(new URL(app.listeningOrigin).port)
  const random = createRandom(seed)
  const findings: Finding[] = []
  const given = [...(requests ?? [])]
  let count = 0

  const next = () => {
    const request = requests ? given.shift() : mutate(random.pick(REQUESTS), REQUESTS, random)
    return request?.replaceAll('{build}', build)
  }
  async function work() {
    for (let request = next(); request !== undefined && !isOver(); request = next()) {
      count++
      const answer = await sendRaw(port, request)
      const flaw = findFlaw(answer, request)
      if (flaw !== null) findings.push({ request, answer: answer.slice(0, 2_000), flaw })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { count, findings }
}
