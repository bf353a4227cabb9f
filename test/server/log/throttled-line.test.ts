import Fastify from 'fastify'
import t from 'tap'
import { addThrottledLine, createThrottledLine } from '../../../src/server/log/throttled-line.ts'

/** A line that is written at most once in `intervalMs`, and promises of what it writes. */
function createLine(intervalMs: number) {
  const written: number[] = []
  let resolve = (_count: number) => {}
  const line = createThrottledLine((count) => {
    written.push(count)
    resolve(count)
  }, intervalMs)
  const next = () => new Promise<number>((onWritten) => (resolve = onWritten))
  return { line, written, next }
}

// The timer of a line does not keep a process running.
const keepRunning = setInterval(() => {}, 1_000)
t.teardown(() => clearInterval(keepRunning))

t.test('the first event is written at once, the others together', async (t) => {
  const { line, written, next } = createLine(5)
  t.teardown(line.stop)
  line.count()
  t.strictSame(written, [1])
  line.count()
  line.count()
  t.strictSame(written, [1])
  t.equal(await next(), 2)
})

t.test('cleared events are not written', async (t) => {
  const { line, written, next } = createLine(5)
  t.teardown(line.stop)
  line.count()
  line.count()
  line.clear()
  line.count()
  t.equal(await next(), 1)
  t.strictSame(written, [1, 1])
})

t.test('a stopped line writes nothing', async (t) => {
  const { line, written } = createLine(60_000)
  line.count()
  line.stop()
  line.count()
  t.strictSame(written, [1])
  const unused = createLine(60_000)
  unused.line.stop()
  unused.line.count()
  t.strictSame(unused.written, [])
})

t.test('an app that closes stops its line', async (t) => {
  const app = Fastify()
  const written: number[] = []
  const count = addThrottledLine(app, (events) => void written.push(events))
  count()
  await app.close()
  count()
  t.strictSame(written, [1])
})
