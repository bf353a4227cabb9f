import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createOutputFolder } from '../../scripts/build/output/output-folder.ts'
import { readManifest } from '../../src/server/build-output/read-build.ts'
import { buildSharing } from '../shared-compression.ts'
import { cliPath } from './cli-path.ts'
import { createSite } from './create-site.ts'
import { EMPTY_REACT } from './empty-react.ts'

/** The id of a process that no longer runs. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'])
  await once(child, 'close')
  return child.pid ?? 0
}

const folders = (dir: string) =>
  readdirSync(dir)
    .filter((name) => name.startsWith('.hydrant'))
    .sort()

t.test('leaves the last build complete when the next one fails', async (t) => {
  const dir = createSite(t, EMPTY_REACT)
  const { manifest, folder } = await buildSharing({ dir })
  writeFileSync(join(dir, 'pages', 'index.tsx'), 'export default (')
  await t.rejects(buildSharing({ dir }), { code: 'HYD_BUILD_FAILED' })
  t.strictSame(readManifest(folder), manifest)
  t.strictSame(folders(dir), ['.hydrant'])
})

t.test('leaves the last build complete when the next one is killed, and cleans up after it', async (t) => {
  const dir = createSite(t, EMPTY_REACT)
  const { manifest, folder } = await buildSharing({ dir })
  // A plugin that waits forever stops the build halfway. It creates a file to show that it has started.
  writeFileSync(
    join(dir, 'hydrant.config.ts'),
    `import { writeFileSync } from 'node:fs'
    const plugin = {
      name: 'waits',
      setup(build) {
        build.onStart(() => new Promise(() => {
          console.log('waiting')
          setInterval(() => {}, 1000)
        }))
      },
    }
    export default { esbuild: { plugins: [plugin] } }`,
  )
  const child = spawn(process.execPath, [cliPath, 'build', dir], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  for await (const chunk of child.stdout) {
    output += chunk
    if (output.includes('waiting')) break
  }
  child.kill('SIGKILL')
  await once(child, 'exit')
  t.strictSame(folders(dir), ['.hydrant', `.hydrant-${child.pid}`])
  t.strictSame(readManifest(folder), manifest)

  writeFileSync(join(dir, 'hydrant.config.ts'), 'export default {}\n')
  await buildSharing({ dir })
  t.strictSame(folders(dir), ['.hydrant'])
})

t.test('does not touch folders of running processes and of others', async (t) => {
  const dir = createSite(t, EMPTY_REACT)
  const running = `.hydrant-${process.ppid}`
  for (const name of [running, '.hydrant-notes', `.hydrant-dev-${await deadPid()}`]) mkdirSync(join(dir, name))
  const before = folders(dir)
  await buildSharing({ dir })
  t.strictSame(folders(dir), ['.hydrant', ...before].sort())
})

t.test('restores the build of a process that died during the swap', async (t) => {
  const dir = createSite(t, EMPTY_REACT)
  const { folder } = await buildSharing({ dir })
  const pid = await deadPid()
  renameSync(folder, join(dir, `.hydrant-${pid}-old`))
  mkdirSync(join(dir, `.hydrant-${pid}`))
  writeFileSync(join(dir, 'pages', 'index.tsx'), 'export default (')
  await t.rejects(buildSharing({ dir }))
  t.strictSame(folders(dir), ['.hydrant'])
  t.ok(readManifest(folder))
})

t.test('leaves the last build in its place when the new one cannot take it', async (t) => {
  const dir = t.testdir({ '.hydrant': { old: 'old' } })
  const output = await createOutputFolder(dir, '.hydrant')
  rmSync(output.path, { recursive: true })
  await t.rejects(output.commit(), { code: 'HYD_BUILD_WRITE' })
  t.strictSame(folders(dir), ['.hydrant'])
  t.strictSame(readdirSync(join(dir, '.hydrant')), ['old'])
})

t.test('copies nothing of the old build into the new one', async (t) => {
  const dir = createSite(t, { ...EMPTY_REACT, 'public/old.txt': 'old' })
  const { folder } = await buildSharing({ dir })
  writeFileSync(join(folder, 'stray.txt'), '')
  renameSync(join(dir, 'public', 'old.txt'), join(dir, 'public', 'new.txt'))
  await buildSharing({ dir })
  t.notOk(existsSync(join(folder, 'stray.txt')))
  t.notOk(existsSync(join(folder, 'public', 'old.txt')))
  t.equal(readFileSync(join(folder, 'public', 'new.txt'), 'utf8'), 'old')
})
