// The comments of this project are short sentences that name their subject first.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { walk } from './scripts/walk.ts'

const FOLDERS = ['src', 'scripts', 'console', 'site', 'bench', 'test']
/** In 100 lines of comments. */
const MOST_WHATS = 6
/** These words name no subject. */
const BAD_START = /^(?:Of|The same)\b/

interface Comment {
  /** Path and line of the first line. */
  place: string
  lines: string[]
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
