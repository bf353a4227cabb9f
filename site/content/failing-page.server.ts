import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setTimeout } from 'node:timers/promises'
import { type ActionContext, type FailureRecord, HttpError, type SourceFrame } from 'hydrant'
import { href } from 'hydrant/react'
import { FAILURES } from './failures.ts'

const ROUTE = '/products/[id]'
/** The site is public: a process lets its page fail so many times in a second. */
const MOST_PER_SECOND = 10

let second = 0
let presses = 0

/**
 * Requests the page that fails, as a visitor would. Returns the response, and what the log and `hydrant errors` have about
 * its digest. Throws a refusal if too many visitors want this at the same time.
 */
export async function failNow({ app, request, signal }: ActionContext<'/'>) {
  const now = Math.floor(Date.now() / 1_000)
  if (now !== second) presses = 0
  second = now
  if (++presses > MOST_PER_SECOND) throw new HttpError(429, 'Many visitors do this at the moment. Please try again.')

  const url = href(ROUTE, { id: 8 })
  const records = new Map<string, FailureRecord>()
  function keep(message: unknown) {
    // The config publishes nothing else.
    const record = message as FailureRecord
    if (record.route === ROUTE) records.set(record.digest, record)
  }
  subscribe(FAILURES, keep)
  try {
    const response = await app.inject({ url, headers: { host: request.host, accept: 'application/json' } })
    const { status, detail, digest }: { status: number; detail: string; digest: string } = response.json()
    let record = records.get(digest)
    // `onFailure` is called after the response.
    for (; !record; record = records.get(digest)) await setTimeout(1, null, { signal })
    return { status, sentence: detail, digest, line: formatLine(record), ...formatPlace(record) }
  } finally {
    unsubscribe(FAILURES, keep)
  }
}

/** Formats the log line of a failure, without the time and the process. */
function formatLine({ requestId, digest, side, phase, route, method, path, host, error }: FailureRecord): string {
  const { type, message } = error
  const frames = error.stack.map((frame) => `\n    at ${nameOf(frame)}`)
  const err = { type, message, stack: `${type}: ${message}${frames.join('')}` }
  const line = { level: 50, reqId: requestId, digest, side, phase, route, method, url: path, host, err }
  return JSON.stringify({ ...line, msg: `${type}: ${message}` }, null, 2)
}

/** Formats the place of a failure as `hydrant errors` does, and says which line is marked. */
function formatPlace({ error }: FailureRecord): { place: string; marked: string } {
  const frame = error.stack.find(({ code }) => code)
  const { firstLine = 0, lines = [] } = frame?.code ?? {}
  const digits = String(firstLine + lines.length - 1).length
  const shown = lines.map((text, index) => `${String(firstLine + index).padStart(digits)} | ${text}`.trimEnd())
  const at = (frame?.line ?? 0) - firstLine
  const marked = `  > ${shown[at]}`
  const caret = `    ${' '.repeat(digits)} | ${' '.repeat((frame?.column ?? 1) - 1)}^`
  const code = shown.flatMap((text, index) => (index === at ? [marked, caret] : `    ${text}`))
  return { place: [`${error.type}: ${error.message}`, '', frame && nameOf(frame), ...code].join('\n'), marked }
}

function nameOf({ function: name, file, line, column }: SourceFrame): string {
  return `${name} (${file}:${line}:${column})`
}
