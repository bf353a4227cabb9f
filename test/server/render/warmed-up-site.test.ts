// Needs a process of its own: the warm-up runs once in a process, and the site of another file would call it.

import t from 'tap'
import type { RenderToPipe } from '../../../src/server/context/react-renderer.ts'
import { warmUpFailures } from '../../../src/server/render/warm-up.ts'
import { testSite } from '../../test-site.ts'

const SECOND = 1_000

t.test('the warm-up runs a second after a site is mounted', async (t) => {
  const { setTimeout } = globalThis
  const later: (() => void)[] = []
  t.intercept(globalThis, 'setTimeout', {
    value(callback: () => void, ms?: number) {
      if (ms === SECOND) later.push(callback)
      return setTimeout(callback, ms)
    },
  })
  await testSite(t, { '/': {} })
  t.ok(later.length > 0)
  for (const callback of later) callback()
  const render: RenderToPipe = () => {
    throw new Error('it has not')
  }
  await t.resolves(warmUpFailures(render))
})
