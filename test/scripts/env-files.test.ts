import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createEnvFiles } from '../../src/server/options/env-files.ts'
import { createSite } from './create-site.ts'
import { runHere } from './run-here.ts'

t.test('adds variables, and removes those that a file no longer has', async (t) => {
  const dir = t.testdir({ '.env': 'A=one\nB="two words"\nC=three\n', '.env.local': 'B=local\n' })
  const env: NodeJS.ProcessEnv = { C: 'of the shell' }
  const files = createEnvFiles(dir, 'development', env)
  files.load()
  t.strictSame(env, { A: 'one', B: 'local', C: 'of the shell' })
  writeFileSync(join(dir, '.env'), 'A=changed\n')
  rmSync(join(dir, '.env.local'))
  files.load()
  t.strictSame(env, { A: 'changed', C: 'of the shell' })
})

t.test('the files of the mode, and of this machine, override the others', async (t) => {
  const dir = t.testdir({
    '.env': 'A=1\nB=1\nC=1\nD=1\n',
    '.env.development': 'B=2\nC=2\nD=2\n',
    '.env.local': 'C=3\nD=3\n',
    '.env.development.local': 'D=4\n',
    '.env.production': 'B=production\n',
  })
  const load = (mode: 'development' | 'production') => {
    const env: NodeJS.ProcessEnv = {}
    createEnvFiles(dir, mode, env).load()
    return env
  }
  t.strictSame(load('development'), { A: '1', B: '2', C: '3', D: '4' })
  t.strictSame(load('production'), { A: '1', B: 'production', C: '3', D: '3' })
})

t.test('a byte order mark is no part of the first name', async (t) => {
  const env: NodeJS.ProcessEnv = {}
  createEnvFiles(t.testdir({ '.env': '\uFEFFA=1\r\nB=2\r\n' }), 'development', env).load()
  t.strictSame(env, { A: '1', B: '2' })
})

t.test('a site without such files', async (t) => {
  const env: NodeJS.ProcessEnv = { A: 'one' }
  createEnvFiles(t.testdir({}), 'development', env).load()
  t.strictSame(env, { A: 'one' })
})

t.test('a folder in place of a file is an error', async (t) => {
  const dir = t.testdir({ '.env': {} })
  t.throws(() => createEnvFiles(dir, 'development', {}).load(), {
    code: 'HYD_ENV_UNREADABLE',
    message: `the environment variables in ${join(dir, '.env')} cannot be read: EISDIR`,
  })
  t.match(await runHere(['start', dir]), { code: 1, stderr: /^Error \[HYD_ENV_UNREADABLE\] .*\nTry: / })
})

t.test('hydrant errors and hydrant info find the ledger that a file names', async (t) => {
  const dir = createSite(t, {
    'pages/index.tsx': 'export default () => <p>page</p>\n',
    '.env': 'HYDRANT_LEDGER=kept/failures.db\n',
    '.env.development': 'HYDRANT_LEDGER=unused.db\n',
  })
  const ledger = join(dir, 'kept/failures.db')
  t.match(await runHere(['errors', dir]), { code: 1, stderr: `there is no ledger at ${ledger}` })
  t.match(JSON.parse((await runHere(['info', dir, '--json'])).stdout), { options: { ledger: 'kept/failures.db' } })
})
