import t from 'tap'
import { formatAgo, formatCode, formatTime } from '../../scripts/terminal/format-failure.ts'
import { createPaint, cutToWidth, padToWidth, toLine, toLines, widthOf } from '../../scripts/terminal/text.ts'
import { wantsColors } from '../../src/server/log/output.ts'
import { findFailing } from '../find-failing.ts'
import { DAY, HOUR, MINUTE, NOW } from './failed-ledger.ts'

t.test('escapes control characters of a terminal', async (t) => {
  t.equal(toLine('a\u001b[31mb\u0007\u009b2J\u0000'), 'a\\x1b[31mb\\x07\\x9b2J\\x00')
  t.equal(toLine('user\u202etxt.exe \u2066x\u2069'), 'user\\u202etxt.exe \\u2066x\\u2069')
  t.equal(toLine('a\nb\r\nc\rd\te'), 'a ⏎ b ⏎ c\\x0dd  e')
  t.strictSame(toLines('a\nb\r\nc'), ['a', 'b', 'c'])
  t.equal(toLine('für 価格 👩‍👩‍👧'), 'für 価格 👩‍👩‍👧', 'all else stays')
})

t.test('counts the columns of a text', async (t) => {
  const widths: [string, number][] = [
    ['', 0],
    ['abc', 3],
    ['für', 3],
    ['fu\u0308r', 3],
    ['価格', 4],
    ['한글', 4],
    ['👩‍👩‍👧', 2],
    ['❤️', 2],
    ['a\u200bb', 2],
    ['…', 1],
    ['각', 2],
    ['1️⃣', 2],
    ['🇨🇭', 2],
    ['☎', 1],
    ['ｶﾞ', 2],
    ['कि', 2],
    ['☝🏽', 2],
    ['🈀', 2],
    ['⺚', 1],
    ['\u3164', 0],
  ]
  const failing = await findFailing(
    widths,
    ([text]) => widthOf(text),
    ([, width]) => width,
  )
  t.strictSame(failing, [])
  t.equal(padToWidth('価', 4), '価  ')
})

t.test('cuts a text to a width, never within a character', async (t) => {
  t.equal(cutToWidth('abcdef', 6), 'abcdef')
  t.equal(cutToWidth('abcdefg', 6), 'abcde…')
  t.equal(cutToWidth('価格価格', 6), '価格…')
  t.equal(cutToWidth('👩‍👩‍👧👩‍👩‍👧', 3), '👩‍👩‍👧…')
  t.equal(cutToWidth('abc', Number.POSITIVE_INFINITY), 'abc')
})

t.test('shows times as a clock time and as a duration', async (t) => {
  t.equal(formatTime(NOW), '2026-11-21 19:43:28 UTC')
  const agos: [number, string][] = [
    [-HOUR, 'just now'],
    [59_999, 'just now'],
    [MINUTE, '1 min ago'],
    [59 * MINUTE, '59 min ago'],
    [23 * HOUR, '23 h ago'],
    [DAY, '1 day ago'],
    [40 * DAY, '40 days ago'],
  ]
  for (const [past, text] of agos) t.equal(formatAgo(NOW - past, NOW), text)
})

t.test('decides about colors as Node does', async (t) => {
  const [terminal, pipe] = [{ isTTY: true }, {}]
  t.ok(wantsColors(terminal, {}))
  t.notOk(wantsColors(pipe, {}))
  t.notOk(wantsColors(terminal, { NO_COLOR: '1' }))
  t.ok(wantsColors(terminal, { NO_COLOR: '' }))
  t.ok(wantsColors(pipe, { FORCE_COLOR: '1' }))
  t.ok(wantsColors(pipe, { FORCE_COLOR: '', NO_COLOR: '1' }))
  t.notOk(wantsColors(terminal, { FORCE_COLOR: '0' }))
  t.notOk(wantsColors(terminal, { TERM: 'dumb' }))
})

t.test('paints in the colors of a terminal, or not at all', async (t) => {
  const styles = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const
  t.strictSame(
    styles.map((style) => createPaint(true)(style, 'x')),
    ['1mx\u001b[22m', '2mx\u001b[22m', '31mx\u001b[39m', '32mx\u001b[39m', '33mx\u001b[39m', '36mx\u001b[39m'].map(
      (codes) => `\u001b[${codes}`,
    ),
    'into a pipe as well',
  )
  t.equal(createPaint(false)('red', 'x'), 'x')
})

t.test('puts the caret below the column, after tabs and wide letters', async (t) => {
  const paint = createPaint(false)
  const frame = (line: string, column: number, width = Number.POSITIVE_INFINITY) =>
    formatCode({ firstLine: 9, lines: [line, 'next'] }, { line: 9, column }, paint, width)
  t.strictSame(frame('\tthrow oh', 8), ['  >  9 |   throw oh', '       |         ^', '    10 | next'])
  t.strictSame(frame("f('価格', oh)", 9), ["  >  9 | f('価格', oh)", '       |           ^', '    10 | next'])
  t.strictSame(frame('a', 0), ['  >  9 | a', '    10 | next'], 'no column is known')
  t.strictSame(frame('x'.repeat(100), 90, 40), [`  >  9 | ${'x'.repeat(31)}…`, '    10 | next'], 'it has been cut')
})
