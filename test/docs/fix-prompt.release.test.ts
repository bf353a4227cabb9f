// Runs the script of docs/errors-command.md that prints a prompt for the newest failure.

import { execFile } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { cliPath } from '../scripts/cli-path.ts'
import { failure, writeLedger } from '../scripts/failed-ledger.ts'
import { createUserEnv } from '../user-env.ts'
import { readMarkdown } from './code/code-block.ts'

const script = readMarkdown('docs/errors-command.md').find(({ path }) => path === 'fix-prompt.js')?.text ?? ''

/** Creates a folder with the script, in which npx finds the command. In `bin`, there is a cheaper `npx`. */
function createFolder(t: Test): string {
  const command = `#!/bin/sh\nexec '${process.execPath}' '${cliPath}' "$@"\n`
  const dir = t.testdir({
    'package.json': '{"private":true,"type":"module"}',
    'fix-prompt.js': script,
    node_modules: { '.bin': { hydrant: command } },
    bin: { npx: '#!/bin/sh\nexec "node_modules/.bin/$@"\n' },
  })
  for (const program of ['node_modules/.bin/hydrant', 'bin/npx']) chmodSync(join(dir, program), 0o755)
  return dir
}

async function runScript(dir: string, words: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const { stdout } = await promisify(execFile)(process.execPath, ['fix-prompt.js', ...words], {
    cwd: dir,
    env: { ...createUserEnv(), ...more },
  })
  return stdout
}

t.test('it leads from the newest failure to its line', async (t) => {
  const dir = createFolder(t)
  await writeLedger(dir, failure({ time: Date.now() }))
  const prompt = await runScript(dir, [])
  for (const line of [
    `Fix this failure of the site in ${dir}.`,
    'TypeError: cannot read price of product 7',
    'Digest 7F3KQ2M9-K4D2P1, release v1. Occurrences: 1.',
    'It happened in phase "load" of GET /products/7.',
    'Open pages/products/[id].server.ts:9',
    '  8 | \tconst product = find(params.id)',
    '> 9 |   return product.price',
    '  at load (pages/products/[id].server.ts:9:10)',
  ])
    t.ok(prompt.split('\n').includes(line), line)
  const more = { PATH: `${join(dir, 'bin')}:${process.env.PATH}` }
  t.equal(await runScript(dir, ['--ledger', 'hydrant-errors.db'], more), prompt, 'with a ledger of its own')
})
