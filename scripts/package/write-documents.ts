// Writes docs/errors.md, docs/llms.txt, and what other documents have from tables. Runs in the repository's folder, after the compiler.

import { readFileSync, writeFileSync } from 'node:fs'
import { format } from 'node:util'
import { parse } from 'yaml'
import { type ErrorEntry, errorTable } from '../../src/server/errors/error-table.ts'
import { formatLlms } from '../chapters.ts'
import { filledDocuments } from './reference.ts'

/** The explanation of a code in errors.yaml. */
interface Explanation {
  isWarning?: boolean
  /** The values of the message in the example. */
  values?: readonly string[]
  /** The lines of the example between the message and the fix. */
  after?: string
  /** Markdown: what the message and the fix do not say. */
  why?: string
}

interface Chapter {
  /** Markdown. */
  intro?: string
  [code: `HYD_${string}`]: Explanation
}

const SOURCE = 'scripts/package/errors.yaml'
const NOTE = `<!-- "npm run build" writes this file from ${SOURCE} and the table of errors. -->`

const chapters = Object.entries<Chapter>(parse(readFileSync(SOURCE, 'utf8')))
const table = new Map<string, ErrorEntry>(Object.entries(errorTable))
const [title = '', ...rest] = chapters.map(([name, chapter]) => writeChapter(name, chapter))
if (table.size > 0) throw new Error(`${SOURCE} does not explain ${[...table.keys()].join(', ')}`)
writeFileSync('docs/errors.md', [`# ${title}`, NOTE, ...rest.map((text) => `## ${text}`)].join('\n\n').concat('\n'))
writeFileSync('docs/llms.txt', formatLlms())
for (const [path, fill] of Object.entries(filledDocuments)) writeFileSync(path, fill(readFileSync(path, 'utf8')))

function writeChapter(name: string, { intro, ...errors }: Chapter): string {
  const sections = Object.entries<Explanation>(errors).map(([code, explanation]) => writeSection(code, explanation))
  return [name, ...(intro === undefined ? [] : [intro.trimEnd()]), ...sections].join('\n\n')
}

function writeSection(code: string, { isWarning, values = [], after = '', why = '' }: Explanation): string {
  const entry = table.get(code)
  if (!entry) throw new Error(`${SOURCE} explains ${code}, which is no error of the table, or explains it twice`)
  table.delete(code)
  if (values.length !== entry.message.split('%s').length - 1) throw new Error(`${SOURCE} has wrong values of ${code}`)
  const message = `${isWarning ? 'Warning' : 'Error'} [${code}] ${format(entry.message, ...values)}`
  return `### ${code}\n\`\`\`\n${message}\n${after}Try: ${entry.fix}\n\`\`\`\n${why}`.trimEnd()
}
