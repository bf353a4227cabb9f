import { PassThrough, Writable } from 'node:stream'
import t from 'tap'
import { passLines } from '../../../src/server/cluster/forward-lines.ts'

/** Returns the output for the given parts. `isSlow` makes the output asynchronous. */
async function pass(parts: readonly string[], isSlow = false): Promise<string[]> {
  const from = new PassThrough()
  const written: string[] = []
  const to = new Writable({
    highWaterMark: isSlow ? 1 : 16_384,
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      setImmediate(done)
    },
  })
  const isDone = passLines(from, to)
  for (const part of parts) {
    from.write(part)
    await new Promise(setImmediate)
  }
  from.end()
  await isDone
  await new Promise((resolve) => to.end(resolve))
  return written
}

t.test('only whole lines are passed on', async (t) => {
  t.strictSame(await pass(['one\ntw', 'o', '\nthree\nfo', 'ur\n']), ['one\n', 'two\nthree\n', 'four\n'])
  t.strictSame(await pass(['schö', 'n\n']), ['schön\n'])
  t.strictSame(await pass(['a\nb', '\nc\n'], true), ['a\n', 'b\nc\n'])
})

t.test('unterminated output of a process becomes a line', async (t) => {
  t.strictSame(await pass(['it died in the mid']), ['it died in the mid\n'])
  t.strictSame(await pass([]), [])
})

t.test('output that is far too long for a line is not held back', async (t) => {
  const part = 'x'.repeat(600_000)
  t.strictSame(await pass([part, part, 'y\n']), [part + part, 'y\n'])
})

t.test('a reader that has closed blocks nothing', async (t) => {
  const from = new PassThrough()
  const to = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
  to.on('error', () => {})
  const isDone = passLines(from, to)
  from.write('one\n')
  await new Promise(setImmediate)
  from.end('two\n')
  await isDone
  t.pass()
})
