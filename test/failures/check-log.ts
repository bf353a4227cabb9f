import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Checks } from '../differences.ts'
import { DIGEST_PATTERN } from '../digest-pattern.ts'
import { ERROR, INFO, type LogLine } from '../site-server.ts'
import type { Client, Position } from './positions.ts'
import type { Way } from './ways.ts'

/** Checks the log lines of one request. `digest` is the one that the visitor saw, if any. */
export function checkLog(
  checks: Checks,
  lines: readonly LogLine[],
  { position, client, way }: { position: Position; client: Client; way: Way },
  digest: string | null,
) {
  const outcome = position.outcomes[client]
  const errors = lines.filter(({ level }) => level >= ERROR)
  const notes = lines.filter(({ level }) => level === INFO)
  if (outcome.kind === 'refusal') {
    const told = notes.map(({ statusCode, digest }) => ({ statusCode, digest }))
    checks.equal(
      told,
      [{ statusCode: outcome.status, digest: undefined }],
      'one info line for a refusal, without a digest',
    )
    checks.equal(errors, [], 'no error line')
    return
  }
  checks.equal(notes, [], 'no info line')
  if (outcome.kind === 'page' || outcome.kind === 'json' || !position.log)
    return void checks.equal(errors, [], 'no error line')

  const { phase, file, pending, second } = position.log
  const [line, secondLine] = errors
  checks.equal(errors.length, second ? 2 : 1, 'one error line for each failure')
  if (!line) return
  checks.match(line.digest, DIGEST_PATTERN, 'the digest is well formed')
  if (digest !== null) checks.equal(line.digest, digest, 'the log has the digest that is shown')
  checks.equal(line.side, 'server', 'side')
  checks.equal(line.method, position.method ?? 'GET', 'method')
  checks.equal(line.url, position.path, 'url')
  checks.equal(line.route, position.route ?? position.path, 'route')
  checks.equal(line.host, way.told, 'the log has the host that the server was told')
  const isDecidedLate = client === 'A' || client === 'B'
  if (!isDecidedLate) checks.equal(line.phase, phase, 'phase')
  checks.equal(line.statusSent, statusSent(outcome.kind), 'the log says what status had been sent')
  if (file) checkFirstFrame(checks, line, file)
  if (pending) checks.match(`${line.pending?.join()} ${line.msg}`, pending, 'the log names what is pending')
  if (!second || !secondLine) return
  checkFirstFrame(checks, secondLine, second)
  checks.equal(secondLine.digest !== line.digest, true, 'the second failure has a digest of its own')
  checks.equal(secondLine.digest?.split('-')[1], line.digest?.split('-')[1], 'both share the occurrence')
}

function statusSent(kind: string): number | undefined {
  return kind === 'late' || kind === 'recovered' ? 200 : undefined
}

/**
 * Checks that the first frame is that file of the site, at a line that creates the error which the site throws on
 * purpose.
 */
function checkFirstFrame(checks: Checks, { err }: LogLine, file: string) {
  const frame = err?.stack.split('\n')[1] ?? '(none)'
  const [, place, line] = /^ {4}at (?:.*\()?([^():]+):(\d+):\d+\)?$/.exec(frame) ?? []
  checks.equal(place, file, `the first frame is the site’s own: ${frame.trim()}`)
  const source = readFileSync(join('site', file), 'utf8').split('\n')
  checks.match(source[Number(line) - 1], /SECRET-MARKER/, 'and its line is the one that throws')
}
