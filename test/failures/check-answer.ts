import type { IncomingHttpHeaders } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Test } from 'tap'
import { digestLine, serverSentence } from '../../src/shared/wire/error-messages.ts'
import { DIGEST_PATTERN } from '../digest-pattern.ts'
import type { HttpAnswer } from '../http-client.ts'
import { checkNonces, textOf } from './html.ts'
import type { Outcome, Position } from './positions.ts'

type Headers = IncomingHttpHeaders

/** Checks status and headers. Returns the digest in them. */
export function checkHeaders(t: Test, status: number, headers: Headers, outcome: Outcome): string | null {
  const digest = headers['x-error-digest']
  t.equal(status, statusOf(outcome))
  t.ok(headers['x-request-id'], 'the answer has a request id')
  t.match(headers.vary, /\baccept\b/i, 'the answer depends on Accept')
  if (outcome.kind !== 'page' && outcome.kind !== 'json') t.match(headers['cache-control'], /^(private, )?no-store$/)
  if (outcome.kind !== 'failure') {
    t.equal(digest, undefined, 'no digest in the headers')
    return null
  }
  t.match(digest, DIGEST_PATTERN, 'the digest in the headers is well formed')
  return String(digest)
}

/** Checks a body as it was sent. Returns the shown digest, or null if the outcome shows none. */
export function checkBody(t: Test, answer: HttpAnswer, position: Position, outcome: Outcome, host: string) {
  const { body } = answer
  checkNothingLeaks(t, body, answer.headers)
  switch (outcome.kind) {
    case 'json':
      t.match(answer.headers['content-type'], /^application\/json/)
      t.doesNotThrow(() => JSON.parse(body))
      return null
    case 'page':
      t.same(sentencesOf(body), [], 'no sentence')
      checkDocument(t, answer)
      return null
    case 'refusal':
      return checkRefusal(t, answer, position, outcome)
    case 'failure':
      if (outcome.as === 'problem') return checkProblem(t, answer, position, outcome, host)
      checkDocument(t, answer)
      return checkSentence(t, body, position, host)
    case 'late':
    case 'recovered':
      checkDocument(t, answer)
      return checkLateSentence(t, body, host)
  }
}

function statusOf(outcome: Outcome): number {
  return outcome.kind === 'failure' || outcome.kind === 'refusal' ? outcome.status : 200
}

function checkProblem(
  t: Test,
  { body, headers }: HttpAnswer,
  { path }: Position,
  { status }: { status: number },
  host: string,
): string {
  t.match(headers['content-type'], /^application\/problem\+json/)
  const { digest, ...problem } = JSON.parse(body) as Record<string, unknown>
  t.same(problem, {
    type: 'about:blank',
    title: STATUS_CODES[status],
    status,
    detail: serverSentence(host),
    instance: path.replace(/\?.*/, ''),
  })
  return String(digest)
}

function checkRefusal(
  t: Test,
  answer: HttpAnswer,
  { path, ownPage }: Position,
  { status, message, as }: Extract<Outcome, { kind: 'refusal' }>,
): null {
  const { body, headers } = answer
  t.same(digestsOf(body), [], 'no digest')
  t.same(sentencesOf(body), [], 'no sentence')
  if (as === 'problem') {
    t.match(headers['content-type'], /^application\/problem\+json/)
    const title = STATUS_CODES[status]
    t.same(JSON.parse(body), { type: 'about:blank', title, status, detail: message, instance: path })
    return null
  }
  checkDocument(t, answer)
  t.match(body, /<meta name="robots" content="noindex"/)
  const text = textOf(body)
  if (status === 404) t.match(text, /There is no page here/, 'the site’s own 404 page')
  else t.ok(text.includes(message), 'the refusal’s own message')
  if (ownPage) t.ok(text.includes(ownPage), 'in the site’s own page')
  return null
}

/** Checks that there is the whole sentence, once, with one digest after it and the button. */
function checkSentence(t: Test, body: string, { ownPage }: Position, host: string): string {
  const sentence = serverSentence(host)
  const digest = onlyDigestOf(t, body)
  const text = textOf(body)
  t.same(sentencesOf(text), [sentence], 'the sentence stands there once, word for word')
  t.ok(text.includes(`${sentence} ${digestLine(digest)} Try again`), 'with the digest and the button behind it')
  if (ownPage) t.ok(text.includes(`${ownPage} ${sentence}`), 'in the site’s own page')
  t.equal(body.split('role="alert"').length, 2, 'one alert')
  t.match(body, /<meta name="robots" content="noindex"/)
  t.match(body, /<button type="submit"[^>]*>Try again<\/button>/)
  return digest
}

/** Checks the same in `<noscript>` at the very end. */
function checkLateSentence(t: Test, body: string, host: string): string {
  const sentence = serverSentence(host)
  const digest = onlyDigestOf(t, body)
  const [, copy = ''] = /<noscript>((?:(?!<noscript>).)*)<\/noscript><\/body><\/html>$/s.exec(body) ?? []
  t.equal(textOf(copy), `${sentence} ${digestLine(digest)} Try again`, 'the copy for visitors without JavaScript')
  t.match(copy, /role="alert"/)
  t.match(copy, /<meta name="robots" content="noindex">/)
  t.match(copy, /<form method="get"[^>]*>.*<button type="submit">Try again<\/button>/s)
  t.same(sentencesOf(textOf(body)), [sentence], 'and the sentence stands nowhere else')
  return digest
}

/** Checks that the body is a whole document in the site's layout, whose scripts the policy allows. */
function checkDocument(t: Test, { body, headers }: HttpAnswer) {
  t.match(headers['content-type'], /^text\/html/)
  t.match(body, /^<!DOCTYPE html><html lang="en">/)
  t.match(body, /<\/body><\/html>$/)
  t.match(body, /<header class="site-header">/, 'the site’s header is there')
  t.match(body, /<nav aria-label="Site">/, 'and its navigation')
  checkNonces(t, body, headers)
}

function checkNothingLeaks(t: Test, body: string, headers: Headers) {
  const sent = `${JSON.stringify(headers)}\n${body}`
  t.notMatch(sent, /SECRET-MARKER/, 'nothing of the error is sent')
  t.notOk(sent.includes(process.cwd()), 'no path')
  t.notMatch(sent, / {4}at |node_modules|\.server\.ts|\.tsx/, 'no stack')
}

function onlyDigestOf(t: Test, body: string): string {
  const digests = digestsOf(body)
  t.equal(digests.length, 1, `one digest in the body: ${digests.join(', ')}`)
  return digests[0] ?? '(none)'
}

function digestsOf(text: string): string[] {
  return [...new Set(text.match(/\b[0-9A-HJKMNP-TV-Z]{8}-[0-9A-HJKMNP-TV-Z]{6}\b/g))]
}

function sentencesOf(text: string): string[] {
  return text.match(/Application error[^<)]*\)?\.?/g) ?? []
}
