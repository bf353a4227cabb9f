import t from 'tap'
import { addHistograms, createHistogram, writeHistograms } from '../../../src/server/metrics/request-metrics.ts'

t.test('counts a duration in each bucket that includes it; upper bounds belong to their bucket', async (t) => {
  const histogram = createHistogram()
  for (const durationMs of [0, 0.5, 0.51, 10_000, 10_001]) histogram.observe(durationMs)
  const lines = writeHistograms('x_seconds', 'What x takes.', [{ labels: {}, counts: histogram.read() }]).split('\n')
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

t.test('each sample has the labels, escaped', async (t) => {
  const histogram = createHistogram()
  histogram.observe(1)
  const counts = histogram.read()
  const text = writeHistograms('x', 'X.', [
    { labels: { route: '/a' }, counts },
    { labels: { route: '/:id(^\\d"+)\n', status_class: '2xx' }, counts },
  ])
  t.equal(text.match(/^# TYPE/gm)?.length, 1)
  t.match(text, 'x_bucket{route="/a",le="0.0005"} 0\n')
  t.match(text, 'x_count{route="/a"} 1\n')
  t.match(text, 'x_sum{route="/:id(^\\\\d\\"+)\\n",status_class="2xx"} 0.001\n')
  t.equal(writeHistograms('x', 'X.', []), '# HELP x X.\n# TYPE x histogram\n')
})

t.test('the histograms of several processes add up', async (t) => {
  const [one, two] = [createHistogram(), createHistogram()]
  for (const durationMs of [1, 3]) one.observe(durationMs)
  two.observe(1)
  const both = createHistogram()
  for (const durationMs of [1, 3, 1]) both.observe(durationMs)
  t.strictSame(addHistograms([one.read(), two.read()]), both.read())
  t.strictSame(addHistograms([]), createHistogram().read())
})
