import t from 'tap'
import {
  escapeControlCharacters,
  escapeControlCharactersIn,
  removeControlCharacters,
  sanitizeLine,
  showControlCharacters,
} from '../../../src/server/log/control-characters.ts'

t.test('escaped JSON has the same value', async (t) => {
  const value = { text: 'a\u009b\u202e\u2028\u007f\n"' }
  const json = escapeControlCharacters(JSON.stringify(value, null, 2))
  t.strictSame(JSON.parse(json), value)
  t.match(json, /^\{\n {2}"text": "a\\u009b\\u202e\\u2028\\u007f\\n\\""\n\}$/)
})

t.test('lines in a buffer are escaped like text', async (t) => {
  for (const text of ['plain', 'ü€😀', 'deleted: \u007f', 'ü\u009b', '\u202e']) {
    const json = `${JSON.stringify({ text })}\n`
    t.equal(String(escapeControlCharactersIn(Buffer.from(json))), escapeControlCharacters(json), text)
  }
})

t.test('control and bidi characters are shown as escapes', async (t) => {
  t.equal(showControlCharacters('a\u001b[31mb\u009b2J\u202e\u2028\n'), 'a\\x1b[31mb\\x9b2J\\u202e\\u2028\\x0a')
})

t.test('control characters are replaced by a space, bidi characters removed', async (t) => {
  t.equal(removeControlCharacters('a\u001b\r\nb\u2028c\u202ed\u2066e\u200f'), 'a b cde')
})

t.test('no value of a log line commands a terminal or passes for another line', async (t) => {
  const line = {
    level: 30,
    msg: 'a\r\n[22:00:00] INFO: b\u001b[2J',
    err: { stack: 'E: x\u0007\n\tat y' },
    n: null,
    list: ['\u0085', 1],
  }
  t.strictSame(JSON.parse(sanitizeLine(JSON.stringify({ ...line, 'k\u001b\n': true }))), {
    level: 30,
    msg: 'a\n    [22:00:00] INFO: b\\x1b[2J',
    err: { stack: 'E: x\\x07\n\tat y' },
    n: null,
    list: ['\\x85', 1],
    'k\\x1b\\x0a': true,
  })
  t.equal(sanitizeLine('no JSON\u001b[2J\n'), 'no JSON\\x1b[2J\n')
})
