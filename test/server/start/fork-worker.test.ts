// Workers whose process the system does not create.

import cluster from 'node:cluster'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { forkWorker, type WorkerProcess } from '../../../src/server/start/worker-process.ts'

cluster.setupPrimary({ serialization: 'advanced', stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })

function fork(env: NodeJS.ProcessEnv): WorkerProcess {
  return forkWorker({
    ...{ name: '1', isSuccessor: false, hangMs: 0 },
    source: { build: null, env },
    output: { stdout: new PassThrough(), stderr: new PassThrough() },
    listener: () => {},
    log: { error: () => {} },
  })
}

for (const [title, execPath, env, code] of [
  ['an error that Node.js emits', '/nowhere/node', {}, 'ENOENT'],
  // The system limits the length of a variable to 128 KiB.
  ['an error that Node.js throws', process.execPath, { LONG: 'x'.repeat(200_000) }, 'E2BIG'],
] as const)
  t.test(`${title} ends the worker, and nothing else`, async (t) => {
    t.intercept(process, 'execPath', { value: execPath })
    const worker = fork(env)
    t.equal(await worker.ready, null)
    const end = { code: null, signal: null, error: { code } }
    t.match(await worker.ended, end)
    worker.send({ kind: 'count', id: 1 })
    t.match(await worker.stop({ delayMs: 0, othersServe: false }, 1_000), end)
  })
