// What a site does instead of Fastify, as the rows of "What differs" in docs/app.md say.

import { readFileSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'

/** A response, or the start or the end of an app. `seen` is what the code has recorded since the one before. */
export interface Outcome {
  of: string
  status?: number
  headers?: [string, unknown][]
  body?: string
  seen: string[]
}

export const show = (value: unknown) => JSON.stringify(value)
export const isSame = (one: unknown, other: unknown) => show(one) === show(other)

/** Returns what a site does. */
type Expect = (plain: Outcome, site: Outcome) => Outcome

const HIDDEN =
  'Application error: a server-side exception has occurred while loading localhost (see the server logs for more information).'

const ROWS = {
  'an error without a handler is JSON with its message': (plain, site) => {
    const { statusCode, error, message } = read(plain)
    if (statusCode === undefined || message === undefined) return plain
    // A thrown object that is no error.
    const status = error === undefined ? 500 : Number(statusCode)
    const { digest, instance } = read(site)
    const isFailure = status >= 500
    const detail = isFailure ? HIDDEN : message
    const problem = { type: 'about:blank', title: STATUS_CODES[status], status, instance, detail }
    return asProblem({ ...plain, status }, isFailure ? { ...problem, digest } : problem)
  },
  'an unknown path is a 404 as JSON': (plain, site) => {
    if (!String(read(plain).message).startsWith('Route ')) return plain
    const { type, title, instance, detail } = read(site)
    return asProblem(plain, { type, title, status: 404, instance, detail })
  },
  "`onRoute` and `onRegister` hooks see the app's routes and scopes": (plain, site) =>
    isWithin(plain.seen, site.seen) ? { ...plain, seen: site.seen } : plain,
  'a response has only the headers of the app': (plain, site) => {
    const seen = site.seen.map((text) =>
      text.replace(/'x-request-id': '[^']+', 'x-content-type-options': 'nosniff', /, ''),
    )
    return isSame(seen, plain.seen) ? { ...plain, seen: site.seen } : plain
  },
  'each request has two log lines': (plain) => ({
    ...plain,
    seen: plain.seen.filter((text) => !/^log 30 (?:incoming request|request completed)\b/.test(text)),
  }),
  '`request.id` is `req-1`, `req-2` …': (plain, site) => {
    const seen = site.seen.map((text) => text.replace(/\b[0-9A-Z]{8}-(\w+)/, 'req-$1'))
    return isSame(seen, plain.seen) ? { ...plain, seen: site.seen } : plain
  },
} satisfies Record<string, Expect>

type Row = keyof typeof ROWS
/** A row for all requests, or rows with the requests to which they apply. */
export type Differs = Row | { [row in Row]?: readonly string[] }

/** Returns what the site is expected to do, from what Fastify does. */
export function expectedInSite(plain: readonly Outcome[], site: readonly Outcome[], differs: Differs = {}) {
  const rows = Object.entries(typeof differs === 'string' ? { [differs]: null } : differs)
  const documented = readFileSync('docs/app.md', 'utf8')
  for (const [row] of rows) if (!documented.includes(`\n| ${row} |`)) throw new Error(`There is no row "${row}".`)
  return plain.map((outcome, index) => {
    const actual = site[index]
    if (!actual) return outcome
    return rows.reduce<Outcome>((expected, [row, urls]) => {
      const isAffected = urls?.some((url) => outcome.of.includes(`"${url}"`)) ?? true
      // The cast is safe because the names are those of `differs`.
      return isAffected ? ROWS[row as Row](expected, actual) : expected
    }, outcome)
  })
}

/** Returns the object that a response has as JSON, or an empty one. */
function read({ body = '' }: Outcome): Record<string, unknown> {
  try {
    return Object(JSON.parse(body))
  } catch {
    return {}
  }
}

const PROBLEM_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'content-type': 'application/problem+json; charset=utf-8',
  vary: 'Accept, Accept-Encoding',
}

/** Returns a response with problem+json in place of its body. */
function asProblem(plain: Outcome, problem: object): Outcome {
  const body = JSON.stringify(problem)
  const headers = { ...Object.fromEntries(plain.headers ?? []), ...PROBLEM_HEADERS, 'content-length': `${body.length}` }
  return { ...plain, headers: Object.entries(headers).sort(), body }
}

/** Says whether a list has all values of another, in order. */
function isWithin(values: readonly string[], all: readonly string[]): boolean {
  let index = 0
  for (const value of all) if (value === values[index]) index++
  return index === values.length
}
