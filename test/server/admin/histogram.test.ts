import t from 'tap'
import { createHistogram } from '../../../src/server/admin/histogram.ts'

t.test('counts each duration in every bucket that holds it, bounds included', async (t) => {
  const histogram = createHistogram('x_seconds', 'What x takes.')
  for (const durationMs of [0, 0.5, 0.51, 10_000, 10_001]) histogram.observe(durationMs)
  const lines = histogram.text().split('\n')
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
