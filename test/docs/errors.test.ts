import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { errorTable } from '../../src/server/errors/error-table.ts'
import { messagePattern } from './code/message-pattern.ts'

// Tests run in the project's folder.
const sections = readSections(readFileSync('docs/errors.md', 'utf8'))
const entries = Object.entries(errorTable)

t.test('every code of the table has a heading', async (t) => {
  for (const [code] of entries) t.ok(sections.has(code), code)
})

t.test('every heading is a code of the table', async (t) => {
  for (const heading of sections.keys()) t.ok(Object.hasOwn(errorTable, heading), heading)
})

t.test('each example equals the message that the table makes for its code', async (t) => {
  for (const [code] of entries) {
    const example = /^(?:Error|Warning) \[.*$/m.exec(sections.get(code) ?? '')?.[0] ?? ''
    t.match(example, messagePattern(code), code)
  }
})

t.test('each code has a fix of one sentence', async (t) => {
  for (const [code, { fix, message }] of entries) {
    t.match(fix, /^[A-Z].*\.$/, `the fix of ${code}`)
    t.notMatch(message, /[.!]$/, `the message of ${code}`)
  }
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
  for (const [code] of entries) t.ok(used.has(code), `${code} is thrown somewhere`)
  for (const code of used) t.ok(Object.hasOwn(errorTable, code), `${code} is in the table`)
})

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

/** Returns the text below each heading of the third level. */
function readSections(markdown: string): Map<string, string> {
  const [, ...parts] = markdown.split(/^### /m)
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')).trim(), part]))
}
