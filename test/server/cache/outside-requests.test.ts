import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  type ContextManager,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  trace,
} from '@opentelemetry/api'
import t from 'tap'
import { runOutsideRequests } from '../../../src/server/cache/outside-requests.ts'

const turn = () => new Promise(setImmediate)

t.test('a load and what it starts do not see the stores of the request', async (t) => {
  const storage = new AsyncLocalStorage<string>()
  const seen: unknown[] = []
  await storage.run('visitor', () =>
    runOutsideRequests(async () => {
      seen.push(storage.getStore())
      setImmediate(() => seen.push(storage.getStore()))
      await turn()
      await turn()
      seen.push(storage.getStore())
      await storage.run('own', async () => {
        await turn()
        seen.push(storage.getStore())
      })
    }),
  )
  t.strictSame(seen, [undefined, undefined, undefined, 'own'])
})

t.test('the caller keeps its stores', async (t) => {
  const storage = new AsyncLocalStorage<string>()
  await storage.run('visitor', async () => {
    await runOutsideRequests(turn)
    t.equal(storage.getStore(), 'visitor')
    t.throws(() =>
      runOutsideRequests(() => {
        throw new Error('of the load')
      }),
    )
    t.equal(storage.getStore(), 'visitor')
  })
})

t.test('enterWith in a load does not reach other loads', async (t) => {
  const storage = new AsyncLocalStorage<string>()
  const first = runOutsideRequests(async () => {
    storage.enterWith('of the first load')
    await turn()
    return storage.getStore()
  })
  t.equal(
    runOutsideRequests(() => storage.getStore()),
    undefined,
  )
  t.equal(await first, 'of the first load')
})

/** A context manager like the one of `@opentelemetry/context-async-hooks`. */
function createContextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, call, self, ...values) => storage.run(active, () => call.apply(self, values)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  return manager
}

/** A span like the SDK's: with public attributes. */
function createSpan(spanContext: SpanContext, attributes: Record<string, unknown>) {
  const calls: unknown[][] = []
  const known = trace.wrapSpanContext(spanContext)
  const span: Span = Object.assign(Object.create(known) as Span, {
    attributes,
    isRecording: () => true,
    setAttribute(...values: unknown[]) {
      calls.push(['setAttribute', ...values])
      return span
    },
  })
  return { span, calls }
}

t.test('the active span stays the parent, without attributes and baggage', async (t) => {
  context.setGlobalContextManager(createContextManager())
  t.teardown(() => context.disable())
  const spanContext = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 }
  const { span, calls } = createSpan(spanContext, { 'client.address': '192.0.2.7' })
  const baggage = propagation.createBaggage({ user: { value: '7' } })
  const active = propagation.setBaggage(trace.setSpan(ROOT_CONTEXT, span), baggage)
  const seen = await context.with(active, () =>
    runOutsideRequests(async () => {
      await turn()
      const parent = trace.getActiveSpan()
      return {
        spanContext: parent?.spanContext(),
        attributes: Reflect.get(parent ?? {}, 'attributes'),
        isRecording: parent?.isRecording(),
        isChained: parent?.setAttribute('rows', 3) === parent,
        baggage: propagation.getActiveBaggage(),
      }
    }),
  )
  t.strictSame(seen, { spanContext, attributes: undefined, isRecording: true, isChained: true, baggage: undefined })
  t.strictSame(calls, [['setAttribute', 'rows', 3]], 'the load writes to the real span')
  t.equal(
    runOutsideRequests(() => trace.getActiveSpan()),
    undefined,
    'without a span there is none',
  )
})
