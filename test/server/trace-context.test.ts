import t from 'tap'
import { traceOf } from '../../src/server/trace-context.ts'
import { buildFiles, HTML, serve } from './served.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

t.test('reads a traceparent header', async (t) => {
  t.strictSame(traceOf(`00-${TRACE}-${SPAN}-01`), { traceId: TRACE, spanId: SPAN })
  t.strictSame(traceOf(`cc-${TRACE}-${SPAN}-01-what-comes-later`), { traceId: TRACE, spanId: SPAN })
})

t.test('takes nothing from one that is not valid', async (t) => {
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
  for (const header of wrong) t.equal(traceOf(header), null, String(header))
})

t.test('a failure tells the trace of its request, and of no other', async (t) => {
  const dir = await buildFiles(t.testdir({}), {
    'pages/index.server.ts': "export const load = () => { throw new Error('oh') }\n",
  })
  const { get, failuresOf } = await serve(t, dir)
  const [traced] = failuresOf(await get('/', { ...HTML, traceparent: `00-${TRACE}-${SPAN}-01` }))
  t.match(traced, { traceId: TRACE, spanId: SPAN })
  const [untraced] = failuresOf(await get('/', HTML))
  t.notOk('traceId' in Object(untraced))
})
