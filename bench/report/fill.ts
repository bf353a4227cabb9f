import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../paths.ts'
import type { BenchRecord } from '../record.ts'
import { toMarkdown } from './markdown.ts'
import { toSummary } from './summary.ts'

const [BEGIN, END] = ['<!-- benchmark -->', '<!-- end of benchmark -->']

/** Writes some figures of a record into README.md and all of its figures into docs/benchmark.md. */
export function fillDocuments(record: BenchRecord) {
  fill('README.md', toSummary(record))
  fill('docs/benchmark.md', toMarkdown(record))
}

/** Replaces the text between the two comments. */
function fill(name: string, text: string) {
  const file = join(ROOT, name)
  const document = readFileSync(file, 'utf8')
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)]
  if (begin === -1 || end < begin) throw new Error(`${file} has no "${BEGIN}" before "${END}"`)
  writeFileSync(file, `${document.slice(0, begin + BEGIN.length)}\n${text.trim()}\n${document.slice(end)}`)
}
