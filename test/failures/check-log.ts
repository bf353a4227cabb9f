import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { DIGEST_PATTERN } from '../digest-pattern.ts'
import { ERROR, INFO, type LogLine } from '../site-server.ts'
import type { Client, Position } from './positions.ts'
import type { Way } from './ways.ts'

/** Checks the log lines of one request. `digest` is the one that the visitor saw, if any. */
export function checkLog(
  t: Test,
  lines: readonly LogLine[],
  { position, client, way }: { position: Position; client: Client; way: Way },
  digest: string | null,
) {
  const outcome = position.outcomes[client]
  const errors = lines.filter(({ level }) => level >= ERROR)
  const notes = lines.filter(({ level }) => level === INFO)
  if (outcome.kind === 'refusal') {
    t.same(
      notes.map((line) => line.statusCode),
      [outcome.status],
      'one info line for a refusal',
    )
    t.notOk(
      notes.some((line) => line.digest),
      'a refusal has no digest',
    )
    t.same(errors, [], 'no error line')
    return
  }
  t.same(notes, [], 'no info line')
  if (outcome.kind === 'page' || outcome.kind === 'json' || !position.log)
    return void t.same(errors, [], 'no error line')

  const { phase, file, pending, second } = position.log
  const [line, secondLine] = errors
  t.equal(errors.length, second ? 2 : 1, 'one error line for each failure')
  if (!line) return
  t.match(line.digest, DIGEST_PATTERN, 'the digest is well formed')
  if (digest !== null) t.equal(line.digest, digest, 'the log has the digest that is shown')
  t.match(line, {
    side: 'server',
    method: position.method ?? 'GET',
    url: position.path,
    route: position.route ?? position.path,
  })
  t.equal(line.host, way.told, 'the log has the host that the server was told')
  const isDecidedLate = client === 'A' || client === 'B'
  if (!isDecidedLate) t.equal(line.phase, phase)
  t.equal(line.statusSent, statusSent(outcome.kind), 'the log says what status had been sent')
  if (file) checkFirstFrame(t, line, file)
  if (pending) {
    t.ok(`${line.pending?.join()} ${line.msg}`.includes(pending), `the log names ${pending} as pending`)
  }
  if (!second || !secondLine) return
  checkFirstFrame(t, secondLine, second)
  t.not(secondLine.digest, line.digest, 'the second failure has a digest of its own')
  t.equal(secondLine.digest?.split('-')[1], line.digest?.split('-')[1], 'both share the occurrence')
}

function statusSent(kind: string): number | undefined {
  return kind === 'late' || kind === 'recovered' ? 200 : undefined
}

/**
 * Checks that the first frame is that file of the site, at a line that creates the error which the site throws on
 * purpose.
 */
function checkFirstFrame(t: Test, { err }: LogLine, file: string) {
  const frame = err?.stack.split('\n')[1] ?? '(none)'
  const [, place, line] = /^ {4}at (?:.*\()?([^():]+):(\d+):\d+\)?$/.exec(frame) ?? []
  t.equal(place, file, `the first frame is the site’s own: ${frame.trim()}`)
  const source = readFileSync(join('site', file), 'utf8').split('\n')
  t.match(source[Number(line) - 1], /SECRET-MARKER/, 'and its line is the one that throws')
}
