/// <reference lib="dom" />

// What the client keeps of navigations that end before their page is shown.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import type { App } from '../../src/client/app.tsx'
import type { NavigatorState } from '../../src/client/navigation/navigator-context.ts'
import type { PageView } from '../../src/client/navigation/page-view.ts'
import { until } from '../until.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

// The objects of a browser that the modules need.
Object.assign(globalThis, { Element: class {}, navigation: new EventTarget() })
const { createNavigate } = await import('../../src/client/navigation/page-navigation.ts')

t.test('nothing refers to a navigation that was canceled', async (t) => {
  const state = { departures: 0, formsSent: 0 } as NavigatorState
  const navigate = createNavigate({ app: {} as App, state, begin: () => () => {} }, {} as PageView, () => ({
    result: Promise.resolve({ kind: 'load' }),
    controller: new AbortController(),
  }))
  function cancel(isEarly: boolean): WeakRef<object> {
    const controller = new AbortController()
    const event = { signal: controller.signal, navigationType: 'push' } as NavigateEvent
    if (isEarly) controller.abort()
    const pending = navigate(new URL('http://site.example/'), event, { url: '', canWait: true })
    for (const promise of [pending.ready, pending.show()]) promise.finally(() => event)
    controller.abort()
    return new WeakRef(event)
  }
  const canceled = [cancel(false), cancel(true)]
  t.equal(state.departures, 2)
  await until(() => {
    collectGarbage()
    return canceled.every((event) => event.deref() === undefined)
  })
})
