import t from 'tap'
import { compareFrameworks } from '../../site/documentation/compare-frameworks.ts'

const LIST = 'next-app: Next.js, app router\nvike: Vike\nother: Not measured\n'

const server = (perSecond: number[], coldMs: number, scriptBytes: number | null) => ({
  load: { hello: perSecond.map((one) => ({ perSecond: one, perCpuSecond: one })) },
  documentBytes: { hello: 100 },
  ...{ firstByteMs: null, scriptBytes, coldMs, idleMb: 50, buildMs: 10, packages: 10 },
})

const record = {
  format: 1,
  parts: {
    speed: {
      started: '2026-11-23T19:53:50.648Z',
      commit: 'abc1234',
      machine: { cpu: 'a processor', cores: 2, node: 'v20.20.2' },
      figures: {
        servers: {
          hydrant: server([300, 100, 200], 200, 50),
          vike: server([100, 100, 100], 100, null),
          'next-app': server([30, 20, 20], 400, 100),
        },
      },
    },
    navigation: { figures: { servers: { hydrant: [{ paintedMs: 50 }], vike: [{ paintedMs: 100 }] } } },
  },
}

t.test('a ratio is the median of the rounds, and above 1 if Hydrant is better', async (t) => {
  const ratios = compareFrameworks(LIST, JSON.stringify(record))
  t.match(ratios, {
    date: '2026-11-23',
    commit: 'abc1234',
    machine: '2 cores of a processor, Node.js v20.20.2',
    servers: ['Next.js, app router', 'Vike'],
  })
  const figures = Object.fromEntries(ratios?.figures.map(({ title, ratios }) => [title, ratios]) ?? [])
  t.strictSame(figures['Requests per second, small page'], [10, 2])
  t.strictSame(figures['Cold start'], [2, 0.5])
  t.strictSame(figures['Scripts of a small page, gzip'], [2, null])
  t.strictSame(figures['From a click to the paint'], [null, 2])
})

t.test('without a record there are no ratios', async (t) => {
  t.equal(compareFrameworks(LIST, null), null)
  t.equal(compareFrameworks(LIST, JSON.stringify({ format: 1, parts: {} })), null)
  t.throws(() => compareFrameworks(LIST, JSON.stringify({ format: 2, parts: {} })), /another format/)
})
