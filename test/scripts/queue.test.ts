import t from 'tap'
import { createQueue } from '../../scripts/map-with-limit.ts'

t.test('runs at most some pieces of work at a time, in their order', async (t) => {
  const queue = createQueue(2)
  const started: number[] = []
  let [running, most] = [0, 0]
  const results = await Promise.all(
    [0, 1, 2, 3, 4].map((number) =>
      queue(async () => {
        started.push(number)
        most = Math.max(most, ++running)
        await new Promise(setImmediate)
        running--
        return number * 2
      }),
    ),
  )
  t.strictSame(results, [0, 2, 4, 6, 8])
  t.strictSame(started, [0, 1, 2, 3, 4])
  t.equal(most, 2)
})

t.test('continues after work that fails', async (t) => {
  const queue = createQueue(1)
  const failed = queue(() => Promise.reject(new Error('no luck')))
  const next = queue(async () => 'next')
  await t.rejects(failed, { message: 'no luck' })
  t.equal(await next, 'next')
  t.equal(await queue(async () => 'last'), 'last')
})
