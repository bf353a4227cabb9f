import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { buildFiles, serve } from '../served.ts'

const ROOT = 0
const OTHER_USER = 12_345

const dir = await buildFiles(t.testdir({}), {
  'pages/index.server.ts': 'export const action = () => globalThis.hydrantTestSeen?.()\n',
})
const temporary = mkdtempSync(join(tmpdir(), 'upload-folders-test-'))
process.env.TMPDIR = temporary
t.teardown(() => rmSync(temporary, { recursive: true, force: true }))

/** Uploads a file to a new server. Returns the names in the temporary folder while the action runs. */
async function upload(t: Test): Promise<string[]> {
  const { app } = await serve(t, dir)
  let names: string[] = []
  Object.assign(globalThis, {
    hydrantTestSeen() {
      names = readdirSync(temporary)
    },
  })
  t.equal((await post(app)).statusCode, 200)
  return names
}

/** Sends a form with a file. */
async function post(app: FastifyInstance) {
  const body = new FormData()
  body.set('file', new File(['content'], 'a'))
  const request = new Response(body)
  const payload = Buffer.from(await request.arrayBuffer())
  const headers = { 'content-type': request.headers.get('content-type') ?? '' }
  return app.inject({ method: 'POST', url: '/', headers, payload })
}

t.teardown(() => Reflect.deleteProperty(globalThis, 'hydrantTestSeen'))

/** Creates a folder with a file of a form. */
function addFolder(name: string, modifiedAt = new Date()): string {
  mkdirSync(join(temporary, name))
  writeFileSync(join(temporary, name, '1'), 'content')
  utimesSync(join(temporary, name), modifiedAt, modifiedAt)
  return name
}

t.test('the first upload removes the folders that ended processes have left', async (t) => {
  const [own = ''] = await upload(t)
  const nameFor = (pid: number, end = 'abcDEF') => own.replace(new RegExp(`-${process.pid}-\\w+$`), `-${pid}-${end}`)
  const ended = spawnSync(process.execPath, ['--version']).pid
  addFolder(nameFor(ended))
  addFolder(nameFor(process.pid, 'before'), new Date(0))
  const kept = [
    addFolder(nameFor(process.pid)),
    addFolder(nameFor(process.ppid), new Date(0)),
    addFolder(nameFor(ended).replace('hydrant-form-', 'hydrant-form-other-host-')),
    addFolder(nameFor(ended, 'longer-than-six')),
    addFolder(nameFor(ended).replace('hydrant-form-', 'hydrant-')),
  ]
  if (process.getuid?.() === ROOT) {
    const name = addFolder(nameFor(ended, 'others'))
    chownSync(join(temporary, name), OTHER_USER, OTHER_USER)
    kept.push(name)
  }
  const names = await upload(t)
  t.strictSame(
    names.filter((name) => kept.includes(name)),
    kept.sort(),
  )
  t.equal(names.length, kept.length + 1, 'the others are gone, and one belongs to the upload')
})

t.test('a folder for temporary files that cannot be listed does not stop an upload', async (t) => {
  process.env.TMPDIR = join(temporary, 'missing')
  t.teardown(() => {
    process.env.TMPDIR = temporary
  })
  mkdirSync(process.env.TMPDIR, { mode: 0o300 })
  await upload(t)
})

t.test('a folder for temporary files that does not exist is one failure, with one line', async (t) => {
  process.env.TMPDIR = join(temporary, 'nowhere')
  t.teardown(() => {
    process.env.TMPDIR = temporary
  })
  const { app, log } = await serve(t, dir)
  t.equal((await post(app)).statusCode, 500)
  const lines = log.lines.filter(({ level }) => level >= 40)
  t.match(lines, [{ level: 50, phase: 'action', err: { code: 'HYD_UPLOAD_UNWRITABLE', message: /nowhere: ENOENT: / } }])
  t.equal(lines.length, 1)
})
