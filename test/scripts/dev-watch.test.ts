// How `hydrant dev` notices changes of files, whatever they are done with.

import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { watchSite } from '../../scripts/dev/watch/watch-site.ts'

/** Watches the folder `site`. `waitFor` resolves when the change of a path was reported, and forgets all before it. */
async function watch(t: Test, files: Record<string, string>) {
  // tap then removes the folder after the teardowns.
  t.teardown(() => {})
  const dir = t.testdir({})
  const write = (path: string, text: string) => {
    mkdirSync(join(dir, path, '..'), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  let reported: string[] = []
  let wake = () => {}
  const onChange = (changes: readonly { kind: string; path: string }[]) => {
    reported.push(...changes.map(({ kind, path }) => `${kind} ${path}`))
    wake()
  }

  async function waitFor(change: string): Promise<string[]> {
    while (!reported.includes(change)) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    const all = reported
    reported = []
    return all
  }

  return {
    ...{ dir, write, waitFor },
    async start() {
      const watcher = await watchSite(join(dir, 'site'), { isWanted: () => true, onChange })
      t.teardown(watcher.close)
      return watcher
    },
  }
}

t.test('notices the files of a folder that is created again', async (t) => {
  const { dir, write, waitFor, start } = await watch(t, { 'site/lib/inner/a.ts': 'a', 'site/b.ts': 'b' })
  await start()
  write('site/lib/inner/a.ts', 'changed')
  t.strictSame(await waitFor('change lib/inner/a.ts'), ['change lib/inner/a.ts'])
  rmSync(join(dir, 'site/lib'), { recursive: true })
  await waitFor('unlink lib/inner/a.ts')
  write('site/lib/inner/a.ts', 'again')
  await waitFor('add lib/inner/a.ts')
  write('site/lib/inner/a.ts', 'changed again')
  await waitFor('change lib/inner/a.ts')
})

t.test('notices the files of a folder that is moved', async (t) => {
  const { dir, write, waitFor, start } = await watch(t, { 'site/lib/inner/a.ts': 'a', 'new/inner/a.ts': 'new' })
  await start()
  renameSync(join(dir, 'site/lib'), join(dir, 'site/moved'))
  await waitFor('add moved/inner/a.ts')
  write('site/moved/inner/a.ts', 'changed')
  await waitFor('change moved/inner/a.ts')
  renameSync(join(dir, 'new'), join(dir, 'site/lib'))
  write('site/lib/inner/b.ts', 'b')
  await waitFor('add lib/inner/b.ts')
  write('site/lib/inner/a.ts', 'changed')
  await waitFor('change lib/inner/a.ts')
})

t.test('notices a file that another one replaces', async (t) => {
  const { dir, write, waitFor, start } = await watch(t, { 'site/lib/a.ts': 'a', 'new.ts': 'new' })
  await start()
  renameSync(join(dir, 'new.ts'), join(dir, 'site/lib/a.ts'))
  await waitFor('change lib/a.ts')
  write('site/lib/a.ts', 'changed')
  await waitFor('change lib/a.ts')
})

t.test('notices what is behind symbolic links', async (t) => {
  const { dir, write, waitFor, start } = await watch(t, { 'site/a.ts': 'a', 'shared/b.ts': 'b', 'other/c.ts': 'c' })
  symlinkSync(join(dir, 'shared'), join(dir, 'site/shared'))
  symlinkSync(join(dir, 'other/c.ts'), join(dir, 'site/c.ts'))
  symlinkSync(join(dir, 'site'), join(dir, 'shared/site'))
  symlinkSync('itself', join(dir, 'site/itself'))
  await start()
  write('shared/b.ts', 'changed')
  await waitFor('change shared/b.ts')
  write('shared/inner/d.ts', 'd')
  await waitFor('add shared/inner/d.ts')
  write('other/c.ts', 'changed')
  await waitFor('change c.ts')
})

t.test('notices files outside the site that it consists of, and no others', async (t) => {
  const { dir, write, waitFor, start } = await watch(t, {
    'site/a.ts': 'a',
    'shared/b.ts': 'b',
    'shared/other.ts': 'other',
    'new.ts': 'new',
  })
  const watcher = await start()
  watcher.include([join(dir, 'shared/b.ts')])
  write('shared/other.ts', 'changed')
  write('shared/b.ts', 'changed')
  t.strictSame(await waitFor('change ../shared/b.ts'), ['change ../shared/b.ts'])
  renameSync(join(dir, 'new.ts'), join(dir, 'shared/b.ts'))
  await waitFor('change ../shared/b.ts')
  write('shared/b.ts', 'changed again')
  await waitFor('change ../shared/b.ts')
})

t.test('notices files outside the site whose folder is removed and comes back', async (t) => {
  const { dir, write, waitFor, start } = await watch(t, { 'site/a.ts': 'a', 'packages/ui/dist/b.js': 'b' })
  const watcher = await start()
  watcher.include([join(dir, 'packages/ui/dist/b.js')])
  for (const removed of ['packages/ui/dist', 'packages/ui', 'packages']) {
    rmSync(join(dir, removed), { recursive: true })
    await waitFor('unlink ../packages/ui/dist/b.js')
    write('packages/ui/dist/b.js', `again after ${removed}`)
    await waitFor('add ../packages/ui/dist/b.js')
    write('packages/ui/dist/b.js', `changed after ${removed}`)
    await waitFor('change ../packages/ui/dist/b.js')
  }
})

t.test('notices new files beside files outside the site', async (t) => {
  const { dir, write, waitFor, start } = await watch(t, { 'site/a.ts': 'a', 'packages/ui/b.ts': 'b' })
  const watcher = await start()
  watcher.include([join(dir, 'packages/ui/b.ts')])
  write('packages/ui/inner/d.ts', 'd')
  write('packages/ui/c.ts', 'c')
  t.strictSame(await waitFor('add ../packages/ui/c.ts'), ['add ../packages/ui/c.ts'])
})
