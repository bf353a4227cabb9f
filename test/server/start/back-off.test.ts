import t from 'tap'
import { backOff } from '../../../src/server/start/worker-pool.ts'

t.test('each worker that exits soon is replaced later than the previous one, up to half a minute', async (t) => {
  const pauses = [0]
  for (let deaths = 0; deaths < 11; deaths++) pauses.push(backOff(pauses.at(-1) ?? 0, 500))
  t.strictSame(pauses.slice(1), [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000])
})

t.test('a worker that worked for a while is replaced at once', async (t) => {
  t.equal(backOff(30_000, 9_999), 30_000)
  t.equal(backOff(30_000, 10_000), 100)
})
