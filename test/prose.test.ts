// The comments of this project are short sentences that name their subject first.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { walk } from './scripts/walk.ts'

const FOLDERS = ['src', 'scripts', 'console', 'site', 'bench', 'test']
/** In 100 lines of comments. */
const MOST_WHATS = 6
/** These words name no subject, or refer to another comment. */
const BAD_START = /^(?:(?:Of|The same|Does the same|As above)\b|Like `)/

interface Comment {
  /** Path and line of the first line. */
  place: string
  lines: string[]
}

const PERF = /\bperf:/i
/** A number with its unit. */
const GAIN = /\d (?:ns|µs|ms|s|kB|MB|%|of the CPU time|of the rate|times the rate)(?!\w)/
const REFERENCE = /^(?:decision (?<decision>\d{3})|commit [\da-f]{8,40})$/

/** The marks in a comment. A mark ends before the next one, an empty line or a tag. */
function marksIn({ place, lines }: Comment): string[] {
  const marks: string[] = []
  let isMark = false
  for (const line of lines) {
    if (PERF.test(line)) marks.push(`${place} ${line}`)
    else if (line === '' || line.startsWith('@')) isMark = false
    else if (isMark) marks.push(`${marks.pop()} ${line}`)
    isMark ||= PERF.test(line)
  }
  return marks
}

/** Returns whether a mark has the form of CONTRIBUTING.md. */
function isComplete(mark: string, decisions: readonly string[]): boolean {
  const [gain = '', reference = ''] = mark.split(', ').slice(1).slice(-2)
  const match = REFERENCE.exec(reference)
  const { decision } = match?.groups ?? {}
  if (!match || !/^\S+ perf: \S/.test(mark) || !GAIN.test(gain)) return false
  return decision === undefined || decisions.some((file) => file.startsWith(`${decision}-`))
}

/** The comments that begin a line; comments after code are one line each. */
function commentsOf(file: string): Comment[] {
  const comments: Comment[] = []
  let kind: 'none' | 'lines' | 'block' = 'none'
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    const text = line.trim()
    const begin = (first: string) => comments.push({ place: `${file}:${index + 1}`, lines: [first] })
    const isBlock: boolean = kind === 'block' || text.startsWith('/*')
    if (isBlock) {
      const words = text.replace(/^\/\*+|^\*(?!\/)|\*+\/.*$/g, '').trim()
      if (kind === 'block') comments.at(-1)?.lines.push(words)
      else begin(words)
      kind = text.includes('*/') ? 'none' : 'block'
    } else if (text.startsWith('//')) {
      const words = text.slice(2).trim()
      if (kind === 'lines') comments.at(-1)?.lines.push(words)
      else begin(words)
      kind = 'lines'
    } else kind = 'none'
  }
  return comments
}

for (const folder of FOLDERS) {
  t.test(`comments of ${folder} are written in plain English`, async (t) => {
    const files = walk(folder).filter((file) => /\.tsx?$/.test(file) && !file.includes('.hydrant/'))
    const comments = files.flatMap((file) => commentsOf(join(folder, file)))
    const lines = comments.flatMap((comment) => comment.lines)
    t.ok(lines.length > 20, 'there are comments to look at')
    const badStarts = comments
      .map(({ place, lines }) => `${place} ${lines.find((line) => line !== '')?.replace(/^@\w+ (?:\w+ )?/, '') ?? ''}`)
      .filter((comment) => BAD_START.test(comment.slice(comment.indexOf(' ') + 1)))
    t.strictSame(badStarts, [], 'each begins with its subject')
    const whats = lines.join(' ').match(/\bwhat\b/gi)?.length ?? 0
    t.ok(whats <= (lines.length * MOST_WHATS) / 100, `${whats} clauses with "what" in ${lines.length} lines`)
  })
}

t.test('the mark of a performance trick names the trick, its gain, and a decision or a commit', async (t) => {
  const decisions = readdirSync('docs/decisions')
  const files = FOLDERS.flatMap((folder) => walk(folder).map((file) => join(folder, file)))
  const marks = files
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.hydrant/'))
    .flatMap((file) => commentsOf(file).flatMap(marksIn))
  t.ok(marks.length > 20, 'there are marks to look at')
  t.strictSame(
    marks.filter((mark) => !isComplete(mark, decisions)),
    [],
  )
  const place = 'src/a.ts:1'
  for (const mark of [
    'perf: cached, 1.5 µs less, commit 12345678',
    'perf: bytes, not text, 7 ns instead of 9 ns, decision 001',
  ])
    t.ok(isComplete(`${place} ${mark}`, decisions), mark)
  for (const mark of [
    'perf: cached, commit 12345678',
    'perf: 1.5 µs less, commit 12345678',
    'perf: cached, much less, commit 12345678',
    'perf: cached, 1.5 less, commit 12345678',
    'perf: cached, 1.5 µs less',
    'perf: cached, 1.5 µs less, 12345678',
    'perf: cached, 1.5 µs less, commit 1234567',
    'perf: cached, 1.5 µs less, decision 999',
    'perf: cached, 1.5 µs less, decision 001.',
    'Perf: cached, 1.5 µs less, decision 001',
    'cached; perf: 1.5 µs less, decision 001',
  ])
    t.notOk(isComplete(`${place} ${mark}`, decisions), mark)
})
