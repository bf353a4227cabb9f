// Which test files share a process.

import t from 'tap'
import { makeBatches, mayShareProcess } from '../batches.ts'
import { isSlow, listTests } from '../test-files.ts'

const nameOf = (file: string) => file.slice('dist/test/'.length, -'.test.js'.length)

t.test('a file that changes its process does not share it', async (t) => {
  const alone = listTests().filter((file) => !mayShareProcess(file))
  const names = alone.map(nameOf)
  for (const name of [
    'server/failures/stacks/error-stack',
    'server/ledger/faults',
    'server/guards/slow-readers',
    'server/render/warm-up',
  ])
    t.ok(names.includes(name), name)
  for (const name of ['server/http/etag', 'browser/forms-sent', 'shared/href']) t.notOk(names.includes(name), name)
})

t.test('each file is in one batch, with files of its kind, in the place of the first of them', async (t) => {
  const files = listTests()
  const kindOf = (file: string) => String(file.includes('/browser/'))
  const batches = makeBatches(files, 5, kindOf)
  t.strictSame(batches.flat().sort(), [...files].sort())
  t.strictSame(
    batches.map(([first]) => files.indexOf(String(first))),
    batches.map(([first]) => files.indexOf(String(first))).sort((a, b) => a - b),
  )
  for (const batch of batches) {
    t.ok(batch.length <= (isSlow(String(batch[0])) ? 6 : 20))
    t.equal(new Set(batch.map(isSlow)).size, 1)
    t.equal(new Set(batch.map(kindOf)).size, 1)
    if (batch.length > 1) t.ok(batch.every(mayShareProcess))
  }
  t.ok(batches.length < files.length / 4)
})

t.test('the last processes have few files', async (t) => {
  const files = listTests().filter((file) => mayShareProcess(file) && !isSlow(file))
  const lengths = makeBatches(files, 5, () => '').map((batch) => batch.length)
  t.strictSame(
    lengths,
    lengths.toSorted((a, b) => b - a),
  )
  t.equal(lengths[0], 20)
  t.ok(
    lengths.slice(-5).every((length) => length <= 3),
    lengths.join(),
  )
})

t.test('a few files have a process each', async (t) => {
  const files = listTests().slice(0, 8)
  t.strictSame(
    makeBatches(files, 5, () => ''),
    files.map((file) => [file]),
  )
})
