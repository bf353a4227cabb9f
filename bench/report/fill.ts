import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { BenchRecord } from '../record.ts'
import { toMarkdown } from './markdown.ts'
import { toSummary } from './summary.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const [BEGIN, END] = ['<!-- benchmark -->', '<!-- end of benchmark -->']

/** Writes the ratios of a record into README.md and all of its figures into docs/benchmark.md. */
export function fillDocuments(record: BenchRecord) {
  fill(join(ROOT, 'README.md'), toSummary(record))
  fill(
    join(ROOT, 'docs/benchmark.md'),
    toMarkdown(record, [])
      .replace(/^# .*\n\n/, '')
      .replace(/^## /gm, '### '),
  )
}

function fill(file: string, text: string) {
  writeFileSync(file, replaceBetween(readFileSync(file, 'utf8'), text, file))
}

/** Replaces the text between the two comments. `file` is for the error message. */
export function replaceBetween(document: string, text: string, file: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)]
  if (begin === -1 || end < begin) throw new Error(`${file} has no "${BEGIN}" before "${END}"`)
  return `${document.slice(0, begin + BEGIN.length)}\n\n${text.trim()}\n\n${document.slice(end)}`
}
