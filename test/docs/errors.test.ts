import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { errorTable } from '../../src/server/errors/error-table.ts'
import { findFailing } from '../find-failing.ts'
import { messagePattern } from './code/message-pattern.ts'

// Tests run in the project's folder.
const sections = readSections(readFileSync('docs/errors.md', 'utf8'))
const entries = Object.entries(errorTable)
const codes = entries.map(([code]) => code)

t.test('every code of the table has a heading', async (t) => {
  t.ok(codes.length > 50, 'there are codes to look at')
  t.strictSame(
    codes.filter((code) => !sections.has(code)),
    [],
  )
})

t.test('every heading is a code of the table', async (t) => {
  t.strictSame(
    [...sections.keys()].filter((heading) => !Object.hasOwn(errorTable, heading)),
    [],
  )
})

t.test('each example equals the message that the table makes for its code', async (t) => {
  const failing = await findFailing(codes, (code) => {
    const example = /^(?:Error|Warning) \[.*$/m.exec(sections.get(code) ?? '')?.[0] ?? ''
    return messagePattern(code).test(example) ? undefined : { example, pattern: messagePattern(code) }
  })
  t.strictSame(failing, [])
})

t.test('each code has a fix of one sentence', async (t) => {
  const isRight = (fix: string, message: string) => /^[A-Z].*\.$/.test(fix) && !/[.!]$/.test(message)
  t.strictSame(
    entries.filter(([, { fix, message }]) => !isRight(fix, message)),
    [],
  )
})

t.test('every code of the table is used, and every code that is used is in the table', async (t) => {
  const used = new Set<string>()
  for (const folder of ['src', 'scripts']) {
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      // Ignores the table itself, and names that only look like codes: variables begin with HYDRANT.
      if (!/\.tsx?$/.test(file) || join(folder, file) === join('src', 'server', 'errors', 'error-table.ts')) continue
      for (const [, code = ''] of withoutComments(readFileSync(join(folder, file), 'utf8')).matchAll(
        /['"`](HYD_[A-Z_]+)/g,
      ))
        used.add(code)
    }
  }
  t.strictSame([...used].sort(), codes.toSorted())
})

function withoutComments(code: string): string {
  return code.replace(/(?<=^|\s)\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

/** Returns the text below each heading of the third level. */
function readSections(markdown: string): Map<string, string> {
  const [, ...parts] = markdown.split(/^### /m)
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')).trim(), part]))
}
