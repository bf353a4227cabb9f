import { readFileSync } from 'node:fs'
import t from 'tap'
import { errorTable } from '../../src/server/errors.ts'

// Tests run in the project's folder.
const sections = readSections(readFileSync('docs/errors.md', 'utf8'))
const entries = Object.entries(errorTable)

t.test('every code of the table has a heading', async (t) => {
  for (const [code] of entries) t.ok(sections.has(code), code)
})

t.test('every heading is a code of the table', async (t) => {
  for (const heading of sections.keys()) t.ok(Object.hasOwn(errorTable, heading), heading)
})

t.test('each example says what the table makes of its code', async (t) => {
  for (const [code, { message }] of entries) {
    const example = /^Error \[.*$/m.exec(sections.get(code) ?? '')?.[0] ?? ''
    t.match(example, patternOf(code, message), code)
  }
})

t.test('each code says what to do in one sentence', async (t) => {
  for (const [code, { fix, message }] of entries) {
    t.match(fix, /^[A-Z].*\.$/, `the fix of ${code}`)
    t.notMatch(message, /[.!]$/, `the message of ${code}`)
  }
})

/** The text below each heading of the third level. */
function readSections(markdown: string): Map<string, string> {
  const [, ...parts] = markdown.split(/^### /m)
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')).trim(), part]))
}

function patternOf(code: string, message: string): RegExp {
  const words = message.split('%s').map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^Error \\[${code}\\] ${words.join('.*')}$`)
}
