import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { type Change, createChangeBatch } from '../../scripts/dev/change-batch.ts'

/** Creates a batch whose timers are moved by `tick`. */
function create(t: Test) {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const batches: string[] = []
  const batch = createChangeBatch((changes) => batches.push(changes.map(({ path }) => path).join()))
  return { batch, batches, tick: (ms: number) => mock.timers.tick(ms) }
}

const style: Change = { kind: 'change', path: 'a.css', isUrgent: true }
const script: Change = { kind: 'change', path: 'a.tsx' }

t.test('passes stylesheets on sooner than other files', async (t) => {
  const { batch, batches, tick } = create(t)
  batch.add(script)
  tick(1)
  t.strictSame(batches, [])
  tick(7)
  t.strictSame(batches, ['a.tsx'])
  batch.add(style)
  batch.add({ ...style, path: 'b.css' })
  tick(1)
  t.strictSame(batches, ['a.tsx', 'a.css,b.css'])
})

t.test('keeps stylesheets and other files that are saved together in one batch', async (t) => {
  const { batch, batches, tick } = create(t)
  batch.add(script)
  batch.add(style)
  tick(1)
  t.strictSame(batches, [])
  tick(7)
  t.strictSame(batches, ['a.tsx,a.css'])
  batch.add(style)
  batch.add(script)
  tick(8)
  t.strictSame(batches, ['a.tsx,a.css', 'a.css,a.tsx'])
})

t.test('waits for the kind of an event, so that new and changed files are one batch', async (t) => {
  const { batch, batches, tick } = create(t)
  batch.add(script)
  batch.expect('/site/new.tsx')
  tick(8)
  t.strictSame(batches, [])
  batch.add({ kind: 'add', path: 'new.tsx' })
  batch.meet('/site/new.tsx')
  tick(8)
  t.strictSame(batches, ['a.tsx,new.tsx'])
})

t.test('waits for the kind of an event only for a while, and for nothing that is not wanted', async (t) => {
  const { batch, batches, tick } = create(t)
  batch.add(script)
  batch.expect('/site/lost.tsx')
  tick(59)
  t.strictSame(batches, [])
  tick(1)
  t.strictSame(batches, ['a.tsx'])
  batch.add(script)
  batch.expect('/site/notes.txt')
  tick(8)
  batch.meet('/site/notes.txt')
  t.strictSame(batches, ['a.tsx', 'a.tsx'])
  await batch.settled()
})
