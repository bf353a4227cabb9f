// The code that the commands of tests run.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runCli } from '../scripts/run-cli.ts'

const PROGRAM = process.env.NODE_V8_COVERAGE === undefined ? 'src/server/bundle/program.js' : 'scripts/program.js'

t.test('a command loads the bundle; the modules if the coverage is measured', async (t) => {
  const loaded = t.testdir({})
  const { code } = await runCli(['--version'], { env: { NODE_V8_COVERAGE: loaded } })
  t.equal(code, 0)
  const [file = ''] = readdirSync(loaded)
  const { result }: { result: { url: string }[] } = JSON.parse(readFileSync(join(loaded, file), 'utf8'))
  const programs = result.map(({ url }) => url).filter((url) => url.endsWith('/program.js'))
  t.equal(programs.length, 1)
  t.match(programs[0], new RegExp(`/dist/${PROGRAM}$`))
})

t.test('a program that may not keep compiled code ends as it would without that', async (t) => {
  // That user may not keep the coverage either, and Node.js would say so.
  const given = { under: ['setpriv', '--reuid=65534', '--clear-groups'], env: { NODE_V8_COVERAGE: '' } }
  const { code, stderr } = await runCli(['--version'], given)
  t.strictSame({ code, stderr }, { code: 0, stderr: '' })
})
