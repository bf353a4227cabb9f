import { AsyncLocalStorage } from 'node:async_hooks'
import t from 'tap'
import { traceOf } from '../../../src/server/http/trace-context.ts'
import { testSite } from '../../test-site.ts'
import { HTML } from '../served.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

t.test('reads a traceparent header', async (t) => {
  t.strictSame(traceOf(`00-${TRACE}-${SPAN}-01`), { traceId: TRACE, spanId: SPAN })
  t.strictSame(traceOf(`cc-${TRACE}-${SPAN}-01-what-comes-later`), { traceId: TRACE, spanId: SPAN })
})

t.test('ignores an invalid header', async (t) => {
  const wrong = [
    undefined,
    '',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01\n`,
    [`00-${TRACE}-${SPAN}-01`],
  ]
  t.strictSame(
    wrong.filter((header) => traceOf(header) !== null),
    [],
  )
})

t.test('the option traceOf returns the trace', async (t) => {
  const site = {
    '/': {
      async load() {
        await null
        throw new Error('oh')
      },
    },
  }
  const OWN = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }
  const active = new AsyncLocalStorage<typeof OWN>()
  const headers = { ...HTML, traceparent: `00-${TRACE}-${SPAN}-01` }
  const { get, failuresOf } = await testSite(t, site, { traceOf: () => active.getStore() })
  t.match(
    failuresOf(await active.run(OWN, async () => await get('/', headers))),
    [OWN],
    'called in the context of the failure',
  )
  t.match(
    failuresOf(await get('/', headers)),
    [{ traceId: TRACE, spanId: SPAN }],
    'the header counts if it returns none',
  )
  for (const traceOf of [
    () => null,
    () => ({ traceId: 'no trace', spanId: '' }),
    () => {
      throw new Error('no tracer')
    },
  ]) {
    const { get, failuresOf } = await testSite(t, site, { traceOf })
    t.match(failuresOf(await get('/', headers)), [{ traceId: TRACE, spanId: SPAN }])
    t.equal((await get('/', HTML)).statusCode, 500)
  }
})

t.test('the line of an option that throws does not show headers of the visitor', async (t) => {
  const site = { '/': { load: () => null } }
  const traceOf = ({ headers }: { headers: Record<string, unknown> }) => {
    throw new Error(`no trace for ${headers.authorization}`, { cause: new Error(`not ${headers.cookie}`) })
  }
  const { get, log } = await testSite(t, site, { logRequests: true, traceOf })
  await get('/', { ...HTML, authorization: 'Bearer qz7rkw2x', cookie: 'user=pz8rkw3y' })
  const lines = log.lines.filter(({ msg }) => msg === 'traceOf threw')
  t.match(lines, [{ level: 40, err: { message: /^no trace for .*\[hidden\]/ } }])
  t.notMatch(JSON.stringify(log.lines), /qz7rkw2x|pz8rkw3y/)
})

t.test('the line of a request has the ids of the option, or else of the header', async (t) => {
  const OWN = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }
  const site = { '/': { load: () => null } }
  const headers = { ...HTML, traceparent: `00-${TRACE}-${SPAN}-01` }
  const traceOf = ({ url }: { url: string }) => (url === '/' ? OWN : null)
  const { get, log } = await testSite(t, site, { logRequests: true, traceOf })
  await get('/', headers)
  await get('/?other', headers)
  t.match(
    log.lines.filter(({ msg }) => msg === 'request completed'),
    [OWN, { traceId: TRACE, spanId: SPAN }],
  )
})

t.test('a failure has the trace of its own request', async (t) => {
  const load = () => {
    throw new Error('oh')
  }
  const { get, failuresOf } = await testSite(t, { '/': { load } })
  const [traced] = failuresOf(await get('/', { ...HTML, traceparent: `00-${TRACE}-${SPAN}-01` }))
  t.match(traced, { traceId: TRACE, spanId: SPAN })
  const [untraced] = failuresOf(await get('/', HTML))
  t.notOk('traceId' in Object(untraced))
})
