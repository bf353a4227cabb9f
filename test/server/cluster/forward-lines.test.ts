import { PassThrough, Writable } from 'node:stream'
import t from 'tap'
import { passLines } from '../../../src/server/cluster/forward-lines.ts'

/** What is written at once, by the parts that come; `isSlow` for one that has to be waited for. */
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

t.test('what a process has not ended becomes a line', async (t) => {
  t.strictSame(await pass(['it died in the mid']), ['it died in the mid\n'])
  t.strictSame(await pass([]), [])
})

t.test('what is far too long for a line is not held', async (t) => {
  const part = 'x'.repeat(600_000)
  t.strictSame(await pass([part, part, 'y\n']), [part + part, 'y\n'])
})

t.test('a reader that has gone away holds nobody up', async (t) => {
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
