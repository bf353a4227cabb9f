import t from 'tap'
import { addCounts, createHistogram, writeHistogram } from '../../../src/server/admin/histogram.ts'

t.test('counts each duration in every bucket that holds it, bounds included', async (t) => {
  const histogram = createHistogram()
  for (const durationMs of [0, 0.5, 0.51, 10_000, 10_001]) histogram.observe(durationMs)
  const lines = writeHistogram('x_seconds', 'What x takes.', histogram.read()).split('\n')
  t.strictSame(lines.slice(0, 4), [
    '# HELP x_seconds What x takes.',
    '# TYPE x_seconds histogram',
    'x_seconds_bucket{le="0.0005"} 2',
    'x_seconds_bucket{le="0.001"} 3',
  ])
  t.match(lines.slice(-5), [
    'x_seconds_bucket{le="10"} 4',
    'x_seconds_bucket{le="+Inf"} 5',
    /^x_seconds_sum 20\.002\d*$/,
    'x_seconds_count 5',
    /^$/,
  ])
})

t.test('those of several processes add up', async (t) => {
  const [one, two] = [createHistogram(), createHistogram()]
  for (const durationMs of [1, 3]) one.observe(durationMs)
  two.observe(1)
  const both = createHistogram()
  for (const durationMs of [1, 3, 1]) both.observe(durationMs)
  t.strictSame(addCounts([one.read(), two.read()]), both.read())
  t.strictSame(addCounts([]), createHistogram().read())
})
