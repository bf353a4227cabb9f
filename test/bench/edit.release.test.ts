import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { CHROMIUM_SHELL } from '../tools.ts'

const HARNESS = 'dist/bench/edit.js'
const run = promisify(execFile)

t.test('the edit harness sees the edits of a site', async (t) => {
  const work = t.testdir({})
  const out = join(work, 'figures.md')
  const options = ['--components', '10', '--pages', '1', '--edits', '2', '--kinds', 'component']
  const places = ['--work', work, '--out', out, '--chromium', CHROMIUM_SHELL]
  const { stdout } = await run(process.execPath, [HARNESS, ...options, '--no-vite', ...places], {
    env: { ...process.env },
  })
  t.match(stdout, /^Node\.js v\S+, Hydrant \S+, react \S+, Chromium \S+, \d+ cores$/m)
  t.match(stdout, /^\| 10 \| 1 \| a component \| \d+ \(\d+ to \d+\) \| – \| – \| [0-2]\/2 \| – \| [0-2]\/2 \| – \|$/m)
  t.equal(readFileSync(out, 'utf8'), stdout)
  t.strictSame(readdirSync(work), ['figures.md'], 'the generated apps are removed')
})

t.test('the edit harness refuses a kind of edit that it does not know', async (t) => {
  const stderr = /^Error: --kinds must be some of component, page, .*; got "markup"$/m
  await t.rejects(run(process.execPath, [HARNESS, '--kinds', 'markup']), { code: 2, stderr })
})
