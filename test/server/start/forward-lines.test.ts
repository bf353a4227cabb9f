import { PassThrough, Writable } from 'node:stream'
import t from 'tap'
import { forwardLines } from '../../../src/server/start/worker-process.ts'
import { until } from '../../until.ts'

/** Forwards `parts`, and returns the writes. With `isSlow`, each write has to be waited for. */
async function forward(parts: readonly string[], isSlow = false): Promise<string[]> {
  const from = new PassThrough()
  const written: string[] = []
  const to = new Writable({
    highWaterMark: isSlow ? 1 : 16_384,
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      setImmediate(done)
    },
  })
  const isDone = forwardLines(from, to)
  for (const part of parts) {
    from.write(part)
    await new Promise(setImmediate)
  }
  from.end()
  await isDone
  await new Promise((resolve) => to.end(resolve))
  return written
}

t.test('only whole lines are forwarded', async (t) => {
  t.strictSame(await forward(['one\ntw', 'o', '\nthree\nfo', 'ur\n']), ['one\n', 'two\nthree\n', 'four\n'])
  t.strictSame(await forward(['schö', 'n\n']), ['schön\n'])
  t.strictSame(await forward(['a\nb', '\nc\n'], true), ['a\n', 'b\nc\n'])
})

t.test('an unfinished line at the end becomes a line', async (t) => {
  t.strictSame(await forward(['it died in the mid']), ['it died in the mid\n'])
  t.strictSame(await forward([]), [])
})

t.test('a line that is far too long is forwarded in parts', async (t) => {
  const part = 'x'.repeat(600_000)
  t.strictSame(await forward([part, part, 'y\n']), [part + part, 'y\n'])
})

t.test('a reader that has gone away does not block', async (t) => {
  const from = new PassThrough()
  const to = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
  to.on('error', () => {})
  const isDone = forwardLines(from, to)
  from.write('one\n')
  await new Promise(setImmediate)
  from.end('two\n')
  await isDone
  t.equal(from.readableEnded, true)
})

t.test('many workers wait for one reader without more listeners', async (t) => {
  const written: string[] = []
  let read = () => {}
  const isRead = new Promise<void>((resolve) => {
    read = resolve
  })
  const to = new Writable({
    highWaterMark: 1,
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      void isRead.then(() => done())
    },
  })
  const lines = Array.from({ length: 12 }, (_, index) => `${index + 10}\n`)
  const all = lines.map((line) => {
    const from = new PassThrough()
    from.end(line)
    return forwardLines(from, to)
  })
  await until(() => to.writableLength === lines.join('').length)
  t.equal(to.listenerCount('drain'), 1)
  read()
  await Promise.all(all)
  await new Promise((resolve) => to.end(resolve))
  t.strictSame(written.sort(), lines)
})
