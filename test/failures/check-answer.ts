import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http'
import { digestLine, serverSentence } from '../../src/shared/wire/public-error.ts'
import type { Checks } from '../differences.ts'
import { DIGEST_PATTERN } from '../digest-pattern.ts'
import type { HttpAnswer } from '../http-client.ts'
import { findNonceFaults, textOf } from './html.ts'
import type { Outcome, Position } from './positions.ts'

type Headers = IncomingHttpHeaders

/** Checks status and headers. Returns the digest in them. */
export function checkHeaders(checks: Checks, status: number, headers: Headers, outcome: Outcome): string | null {
  const digest = headers['x-error-digest']
  checks.equal(status, statusOf(outcome), 'status')
  checks.match(headers['x-request-id'] ?? '', /./, 'the request id')
  checks.match(headers.vary, /\baccept\b/i, 'the answer depends on Accept')
  if (outcome.kind !== 'page' && outcome.kind !== 'json')
    checks.match(headers['cache-control'], /^(private, )?no-store$/, 'cache-control')
  if (outcome.kind !== 'failure') {
    checks.equal(digest, undefined, 'no digest in the headers')
    return null
  }
  checks.match(digest, DIGEST_PATTERN, 'the digest in the headers is well formed')
  return String(digest)
}

/** Checks a body as it was sent. Returns the shown digest, or null if the outcome shows none. */
export function checkBody(checks: Checks, answer: HttpAnswer, position: Position, outcome: Outcome, host: string) {
  const { body } = answer
  checkNothingLeaks(checks, body, answer.headers)
  switch (outcome.kind) {
    case 'json':
      checks.match(answer.headers['content-type'], /^application\/json/, 'content-type')
      JSON.parse(body)
      return null
    case 'page':
      checks.equal(sentencesOf(body), [], 'no sentence')
      checkDocument(checks, answer)
      return null
    case 'refusal':
      return checkRefusal(checks, answer, position, outcome)
    case 'failure':
      if (outcome.as === 'problem') return checkProblem(checks, answer, position, outcome, host)
      checkDocument(checks, answer)
      return checkSentence(checks, body, position, host)
    case 'late':
    case 'recovered':
      checkDocument(checks, answer)
      return checkLateSentence(checks, body, host)
  }
}

function statusOf(outcome: Outcome): number {
  return outcome.kind === 'failure' || outcome.kind === 'refusal' ? outcome.status : 200
}

function checkProblem(
  checks: Checks,
  { body, headers }: HttpAnswer,
  { path }: Position,
  { status }: { status: number },
  host: string,
): string {
  checks.match(headers['content-type'], /^application\/problem\+json/, 'content-type')
  const { digest, ...problem } = JSON.parse(body) as Record<string, unknown>
  const title = STATUS_CODES[status]
  const instance = path.replace(/\?.*/, '')
  checks.equal(problem, { type: 'about:blank', title, status, detail: serverSentence(host), instance }, 'problem')
  return String(digest)
}

function checkRefusal(
  checks: Checks,
  answer: HttpAnswer,
  { path, ownPage }: Position,
  { status, message, as }: Extract<Outcome, { kind: 'refusal' }>,
): null {
  const { body, headers } = answer
  checks.equal(digestsOf(body), [], 'no digest')
  checks.equal(sentencesOf(body), [], 'no sentence')
  if (as === 'problem') {
    checks.match(headers['content-type'], /^application\/problem\+json/, 'content-type')
    const title = STATUS_CODES[status]
    checks.equal(JSON.parse(body), { type: 'about:blank', title, status, detail: message, instance: path }, 'problem')
    return null
  }
  checkDocument(checks, answer)
  checks.match(body, /<meta name="robots" content="noindex"/, 'search engines are told to leave it')
  const text = textOf(body)
  if (status === 404) checks.match(text, /There is no page here/, 'the site’s own 404 page')
  else checks.match(text, message, 'the refusal’s own message')
  if (ownPage) checks.match(text, ownPage, 'in the site’s own page')
  return null
}

/** Checks that there is the whole sentence, once, with one digest after it and the button. */
function checkSentence(checks: Checks, body: string, { ownPage }: Position, host: string): string {
  const sentence = serverSentence(host)
  const digest = onlyDigestOf(checks, body)
  const text = textOf(body)
  checks.equal(sentencesOf(text), [sentence], 'the sentence stands there once, word for word')
  const whole = `${ownPage ? `${ownPage} ` : ''}${sentence} ${digestLine(digest)} Try again`
  checks.match(text, whole, 'in the site’s own page, if it has one, with the digest and the button behind it')
  checks.equal(body.split('role="alert"').length, 2, 'one alert')
  checks.match(body, /<meta name="robots" content="noindex"/, 'search engines are told to leave it')
  checks.match(body, /<button type="submit"[^>]*>Try again<\/button>/, 'the button')
  return digest
}

/** Checks the same in `<noscript>` at the very end. */
function checkLateSentence(checks: Checks, body: string, host: string): string {
  const sentence = serverSentence(host)
  const digest = onlyDigestOf(checks, body)
  const [, copy = ''] = /<noscript>((?:(?!<noscript>).)*)<\/noscript><\/body><\/html>$/s.exec(body) ?? []
  checks.equal(textOf(copy), `${sentence} ${digestLine(digest)} Try again`, 'the copy for visitors without JavaScript')
  checks.match(copy, /role="alert"/, 'its alert')
  checks.match(copy, /<meta name="robots" content="noindex">/, 'its word to search engines')
  checks.match(copy, /<form method="get"[^>]*>.*<button type="submit">Try again<\/button>/s, 'its form')
  checks.equal(sentencesOf(textOf(body)), [sentence], 'and the sentence stands nowhere else')
  return digest
}

/** Checks that the body is a whole document in the site's layout, whose scripts the policy allows. */
function checkDocument(checks: Checks, { body, headers }: HttpAnswer) {
  checks.match(headers['content-type'], /^text\/html/, 'content-type')
  checks.match(body, /^<!DOCTYPE html><html lang="en">/, 'the document’s begin')
  checks.match(body, /<\/body><\/html>$/, 'the document’s end')
  checks.match(body, /<header class="site-header">/, 'the site’s header is there')
  checks.match(body, /<nav aria-label="Site">/, 'and its navigation')
  checks.equal(findNonceFaults(body, headers), [], 'each script carries the nonce of the policy')
}

function checkNothingLeaks(checks: Checks, body: string, headers: Headers) {
  const sent = `${JSON.stringify(headers)}\n${body}`
  checks.lacks(sent, /SECRET-MARKER/, 'nothing of the error is sent')
  checks.lacks(sent, process.cwd(), 'no path')
  checks.lacks(sent, / {4}at |node_modules|\.server\.ts|\.tsx/, 'no stack')
}

function onlyDigestOf(checks: Checks, body: string): string {
  const digests = digestsOf(body)
  checks.equal(digests.length, 1, `one digest in the body: ${digests.join(', ')}`)
  return digests[0] ?? '(none)'
}

function digestsOf(text: string): string[] {
  return [...new Set(text.match(/\b[0-9A-HJKMNP-TV-Z]{8}-[0-9A-HJKMNP-TV-Z]{6}\b/g))]
}

function sentencesOf(text: string): string[] {
  return text.match(/Application error[^<)]*\)?\.?/g) ?? []
}
