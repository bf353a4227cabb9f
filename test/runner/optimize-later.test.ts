// The option of V8 in test processes. V8 rejects compiled code from a process with other options, which shows when the
// option is set.

import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'

const MODULE = pathToFileURL(resolve('dist/test/optimize-later.js')).href

const WRITE = `import { writeFileSync } from 'node:fs'
import { Script } from 'node:vm'
writeFileSync('compiled', new Script('1 + 1').createCachedData())
`

const PROGRAM = `import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Script } from 'node:vm'
import { Worker } from 'node:worker_threads'
const cachedData = readFileSync('compiled')
let count = 1
// V8 compares the lengths of sources, and keeps a script that it has compiled.
const isDefault = () => !new Script(\`\${++count} + 1\`, { cachedData }).cachedDataRejected
const seen = { before: isDefault() }
class Own extends Worker {}
const worker = new Own("require('node:worker_threads').parentPort.postMessage('works')", { eval: true })
seen.starting = isDefault()
seen.isOwn = worker instanceof Own && worker instanceof Worker
const online = once(worker, 'online').then(() => { seen.online = isDefault() })
const [message] = await once(worker, 'message')
await online
seen.message = message
await once(worker, 'exit')
try { new Worker(1) } catch (error) { seen.error = error.code }
seen.afterError = isDefault()
console.log(JSON.stringify(seen))
`

t.test('V8 has the option, but not while a thread starts', async (t) => {
  const cwd = t.testdir({ 'write.mjs': WRITE, 'program.mjs': PROGRAM })
  execFileSync(process.execPath, ['write.mjs'], { cwd })
  const words = ['--import', MODULE, join(cwd, 'program.mjs')]
  const seen = JSON.parse(execFileSync(process.execPath, words, { cwd, encoding: 'utf8' })) as unknown
  // The only version that has the option.
  const isDefault = !process.version.startsWith('v20.')
  t.strictSame(seen, {
    before: isDefault,
    starting: true,
    isOwn: true,
    online: isDefault,
    message: 'works',
    error: 'ERR_INVALID_ARG_TYPE',
    afterError: isDefault,
  })
})
