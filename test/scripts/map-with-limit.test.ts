import t from 'tap'
import { mapWithLimit } from '../../scripts/map-with-limit.ts'

/** A promise with its `resolve` and `reject`. */
function createDeferred() {
  const deferred = { resolve() {}, reject(_error: Error) {} }
  const promise = new Promise<void>((resolve, reject) => Object.assign(deferred, { resolve, reject }))
  return Object.assign(deferred, { promise })
}

const settleTurn = () => new Promise((resolve) => setImmediate(resolve))

t.test('returns the results in the order of the items', async (t) => {
  t.strictSame(await mapWithLimit([3, 1, 2], 2, async (number) => number * 2), [6, 2, 4])
  t.strictSame(await mapWithLimit([], 2, async (number) => number), [])
})

t.test('never runs more calls than the limit', async (t) => {
  const calls = [0, 1, 2, 3, 4].map(createDeferred)
  const started: number[] = []
  const done = mapWithLimit(calls.keys(), 2, async (index) => {
    started.push(index)
    await calls[index]?.promise
    return index
  })
  await settleTurn()
  t.strictSame(started, [0, 1])
  calls[1]?.resolve()
  await settleTurn()
  t.strictSame(started, [0, 1, 2], 'a call that ends makes room for one')
  for (const call of calls) call.resolve()
  t.strictSame(await done, [0, 1, 2, 3, 4])
})

t.test('starts no calls after a failure and waits for the running ones', async (t) => {
  const calls = [0, 1, 2].map(createDeferred)
  const started: number[] = []
  let isSettled = false
  const done = mapWithLimit(calls.keys(), 2, async (index) => {
    started.push(index)
    await calls[index]?.promise
  })
  const rejected = t.rejects(done, { message: 'no space' }).then(() => {
    isSettled = true
  })
  calls[0]?.reject(new Error('no space'))
  await settleTurn()
  t.strictSame(started, [0, 1])
  t.notOk(isSettled, 'a call is still running')
  calls[1]?.resolve()
  await rejected
})
