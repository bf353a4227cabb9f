import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { type Change, createChangeBatch, createUpdateLoop } from '../../scripts/dev/watch/change-batch.ts'
import { createVersions } from '../../scripts/dev/watch/file-versions.ts'

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

t.test('waits for the content of a file that was emptied', async (t) => {
  const { batch, batches, tick } = create(t)
  batch.add({ ...script, isEmpty: true })
  tick(40)
  t.strictSame(batches, [])
  batch.add(script)
  tick(8)
  t.strictSame(batches, ['a.tsx'])
})

t.test('keeps stylesheets and other files that are saved together in one batch', async (t) => {
  const { batch, batches, tick } = create(t)
  batch.add(script)
  batch.add(style)
  tick(8)
  t.strictSame(batches, [], 'more files may follow')
  tick(16)
  t.strictSame(batches, ['a.tsx,a.css'])
  batch.add(style)
  batch.add(script)
  tick(24)
  t.strictSame(batches, ['a.tsx,a.css', 'a.css,a.tsx'])
})

t.test('joins the changes of a file: one that is created and then written is new', (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const kinds: string[] = []
  const batch = createChangeBatch((changes) => kinds.push(changes.map(({ kind }) => kind).join()))
  const joined = (...all: Change['kind'][]) => {
    for (const kind of all) batch.add({ kind, path: 'public/a.txt' })
    mock.timers.tick(100)
    return kinds.pop()
  }
  t.equal(joined('add', 'change'), 'add')
  t.equal(joined('unlink', 'add'), 'change', 'it was replaced')
  t.equal(joined('unlink', 'add', 'change'), 'change')
  t.equal(joined('add', 'unlink'), 'unlink')
  t.equal(joined('change', 'unlink'), 'unlink')
  t.end()
})

t.test('tells which files of a folder are new, changed and gone', async (t) => {
  const dir = t.testdir({ 'a.ts': 'a', 'b.ts': 'b', node_modules: { 'c.js': 'c' } })
  const { read } = createVersions({ isIgnored: (path) => path.endsWith('node_modules'), onPlace() {} })
  const names = (path: string) => read(join(dir, path)).map(([file, kind]) => `${kind} ${relative(dir, file)}`)
  t.strictSame(names('.'), ['add a.ts', 'add b.ts'])
  t.strictSame(names('.'), [])
  writeFileSync(join(dir, 'a.ts'), 'changed')
  mkdirSync(join(dir, 'new/inner'), { recursive: true })
  writeFileSync(join(dir, 'new/inner/d.ts'), 'd')
  t.strictSame(names('a.ts'), ['change a.ts'])
  t.strictSame(names('a.ts'), [], 'an event that is reported twice')
  t.strictSame(names('new'), ['add new/inner/d.ts'], 'a folder that is there before it is watched')
  rmSync(join(dir, 'new'), { recursive: true })
  t.strictSame(names('new'), ['unlink new/inner/d.ts'])
  t.strictSame(names('never'), [])
})

t.test('applies later changes after one could not be applied', async (t) => {
  const applied: string[] = []
  const loop = createUpdateLoop({
    async apply([change]) {
      if (change === style) throw new Error('broken')
      applied.push(change?.path ?? '')
    },
    async rest() {},
  })
  loop.add([style])
  await t.rejects(loop.settled(), { message: 'broken' })
  loop.add([script])
  await loop.settled()
  t.strictSame(applied, ['a.tsx'])
  await loop.close()
})
