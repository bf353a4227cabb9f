import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import Fastify from 'fastify'
import t from 'tap'
import { type ActionContext, hydrant } from '../../../src/server/index.ts'
import type { ErrorPageProps } from '../../../src/shared/react.ts'
import { createRandom, type Random } from '../../shared/random.ts'
import { testSite, writeTestSite } from '../../test-site.ts'
import { createLog, JSON_ONLY } from '../served.ts'

async function tell(value: File | string) {
  if (typeof value === 'string') return value
  const bytes = Buffer.from(await value.arrayBuffer())
  return { name: value.name, type: value.type, size: value.size, hash: createHash('sha1').update(bytes).digest('hex') }
}

/** How many files are on the disk while an action runs. */
const seen: number[] = []
const gate = { opened: Promise.resolve(), open() {} }
gate.opened = new Promise((resolve) => {
  gate.open = resolve
})

const site = {
  '/error': ({ status, message }: ErrorPageProps) => <p>{[status, message].join('|')}</p>,
  '/echo': {
    /** Returns the entries of the form, in order. */
    async action({ form, request }: ActionContext) {
      const entries: unknown[] = []
      for (const [name, value] of form) entries.push([name, await tell(value)])
      seen.push(leftFiles().length)
      const isFile = [...form.values()].every((value) => typeof value === 'string' || value instanceof File)
      return { entries, isBody: request.body === form, isFile }
    },
  },
  '/fails': {
    action() {
      seen.push(leftFiles().length)
      throw new Error('no')
    },
  },
  '/waits': {
    action({ request }: ActionContext) {
      request.log.info('action has begun')
      return gate.opened
    },
  },
}

const dir = t.testdir({})
// The folder for the files of forms.
const temporary = mkdtempSync(join(tmpdir(), 'forms-test-'))
process.env.TMPDIR = temporary
t.teardown(() => rmSync(temporary, { recursive: true, force: true }))
const leftFiles = () => readdirSync(temporary)

// The files are removed when the server's side of the connection has closed, a moment after the client's.
async function untilNoFiles() {
  while (leftFiles().length > 0) await setImmediate()
}

const limits = { maxFields: 20, maxFiles: 3, maxFileBytes: 300_000 }
const { app, log } = await testSite(t, site, { bodyLimit: 10_000, forms: limits, dir })
await app.listen({ port: 0, host: '127.0.0.1' })
const origin = app.listeningOrigin

const post = (path: string, body: BodyInit, headers: Record<string, string> = JSON_ONLY) =>
  fetch(origin + path, { method: 'POST', body, headers, redirect: 'manual' })

/** The response if the form has the entries that the platform's own parser finds in the same body. */
async function echoed(body: FormData | URLSearchParams) {
  const entries = [...(await new Response(body).formData())]
  const told = await Promise.all(entries.map(async ([name, value]) => [name, await tell(value)]))
  return { entries: told, isBody: true, isFile: true }
}

const NAMES = [
  '',
  'a',
  'b',
  'a',
  '__proto__',
  'constructor',
  'toString',
  'a[]',
  'a.b',
  '漢字',
  '"quoted"',
  'a\nb',
  'a&b=c',
  '%41',
  '😀',
] as const
const VALUES = [
  '',
  'value',
  'two words',
  'a\r\nb',
  '漢字 😀',
  'a=b&c=d',
  '+%2B',
  '\u0000',
  '__proto__',
  '--boundary',
] as const

function randomText(random: Random): string {
  return random.below(3) === 0 ? random.text(random.below(200), 'aé漢"\\\r\n&=+%-\u{1F600}') : random.pick(VALUES)
}

// A lone surrogate cannot be sent.
const wellFormed = (text: string) => Buffer.from(text, 'utf8').toString('utf8')

t.test('any urlencoded form is read as the platform reads it', async (t) => {
  const random = createRandom(1)
  const wrong: unknown[] = []
  for (let round = 0; round < 60; round++) {
    const body = new URLSearchParams()
    for (let count = random.below(8); count > 0; count--)
      body.append(random.pick(NAMES), wellFormed(randomText(random)))
    const [answer, wanted] = [await (await post('/echo', body)).json(), await echoed(body)]
    if (!isDeepStrictEqual(answer, wanted)) wrong.push({ body: body.toString(), answer, wanted })
  }
  t.strictSame(wrong, [])
})

t.test('any multipart form is read as the platform reads it', async (t) => {
  const random = createRandom(2)
  const wrong: unknown[] = []
  for (let round = 0; round < 60; round++) {
    const body = new FormData()
    let files = 0
    for (let count = random.below(8); count > 0; count--) {
      const name = random.pick(NAMES)
      if (files < 3 && random.below(3) === 0) {
        files++
        const bytes = random.bytes(random.pick([0, 1, 100, 70_000]))
        const type = random.pick(['text/plain', 'application/octet-stream', 'image/png'])
        body.append(
          name,
          new File([Buffer.from(bytes)], random.pick(['a.txt', 'é 漢.png', 'a"b.txt', 'no-extension', '😀.bin']), {
            type,
          }),
        )
      } else body.append(name, wellFormed(randomText(random)))
    }
    const copy = new FormData()
    for (const [name, value] of body) copy.append(name, value)
    const [answer, wanted] = [await (await post('/echo', body)).json(), await echoed(copy)]
    if (!isDeepStrictEqual(answer, wanted)) wrong.push({ answer, wanted })
  }
  t.strictSame(wrong, [])
  await untilNoFiles()
})

t.test('the form of any other body is empty', async (t) => {
  const empty = { entries: [], isBody: false, isFile: true }
  t.strictSame(
    await (await post('/echo', '{"a":1}', { ...JSON_ONLY, 'content-type': 'application/json' })).json(),
    empty,
  )
  t.strictSame(await (await post('/echo', 'a=1', { ...JSON_ONLY, 'content-type': 'text/plain' })).json(), empty)
  t.strictSame(await (await fetch(`${origin}/echo`, { method: 'DELETE', headers: JSON_ONLY })).json(), empty)
})

t.test('a form that exceeds a limit gets a refusal that names the limit', async (t) => {
  const form = (fill: (form: FormData) => void) => {
    const made = new FormData()
    fill(made)
    return made
  }
  const times = (count: number, work: (index: number) => void) => {
    for (let index = 0; index < count; index++) work(index)
  }
  const file = (size: number) => new File([Buffer.alloc(size, 'x')], 'a.txt')
  const cases: [name: string, body: BodyInit, limit: string, option: string][] = [
    ['fields', form((made) => times(21, () => made.append('a', ''))), '20 fields', 'forms.maxFields'],
    ['encoded fields', new URLSearchParams('a=&'.repeat(21)), '20 fields', 'forms.maxFields'],
    ['a field', form((made) => made.append('a', 'x'.repeat(10_001))), '10000 bytes', 'bodyLimit'],
    ['an encoded field', new URLSearchParams({ a: 'é'.repeat(5_001) }), '10000 bytes', 'bodyLimit'],
    ['files', form((made) => times(4, () => made.append('a', file(10)))), '3 files', 'forms.maxFiles'],
    ['a file', form((made) => made.append('a', file(300_001))), '300000 bytes', 'forms.maxFileBytes'],
    ['texts', form((made) => times(6, () => made.append('a', 'x'.repeat(1_900)))), '10000 bytes', 'bodyLimit'],
    ['a body', new URLSearchParams({ a: 'x'.repeat(10_001) }), '10000 bytes', 'bodyLimit'],
  ]
  for (const [name, body, limit, option] of cases) {
    const answer = await post('/echo', body)
    t.equal(answer.status, 413, name)
    const { detail, digest } = (await answer.json()) as Record<string, string>
    t.match(detail, new RegExp(`${limit}\\.$`), 'the visitor reads no name of an option')
    t.match(log.lines.at(-1), { msg: `${limit}. ("${option}")` })
    t.equal(digest, undefined)
    t.equal(answer.headers.get('cache-control'), 'no-store')
  }
  const json = await post('/echo', JSON.stringify('x'.repeat(10_000)), {
    ...JSON_ONLY,
    'content-type': 'application/json',
  })
  t.equal(json.status, 413)
  const html = await post(
    '/echo',
    form((made) => made.append('a', file(300_001))),
    { accept: 'text/html' },
  )
  t.match(await html.text(), '413|A file of the form is larger than 300000 bytes.')
  t.equal(log.errors().length, 0)
  t.strictSame(leftFiles(), [])
})

t.test('a form that is exactly at a limit passes', async (t) => {
  const body = new FormData()
  for (let index = 0; index < 3; index++) body.append('files', new File([Buffer.alloc(300_000)], 'a'))
  body.append('text', 'x'.repeat(2_000))
  for (let index = 0; index < 19; index++) body.append('n', '')
  const answer = await post('/echo', body)
  t.equal(answer.status, 200, await answer.text())
})

t.test('malformed bodies are refused and never cause a failure', async (t) => {
  const type = 'multipart/form-data; boundary=x'
  const part = (headers: string, value = 'v') => `--x\r\n${headers}\r\n\r\n${value}\r\n`
  const field = 'Content-Disposition: form-data; name="a"'
  const cases: [status: number, type: string, body: string][] = [
    [400, type, ''],
    [400, type, 'nonsense'],
    [400, type, part(field)],
    [400, type, `--x\r\n${field}; filename="a"\r\n\r\nhalf of`],
    [400, type, `${part('Content-Disposition: form-data')}--x--\r\n`],
    [400, type, `${part('Content-Disposition: form-data; filename="a"')}--x--\r\n`],
    [400, 'multipart/form-data', `${part(field)}--x--\r\n`],
    [400, 'application/json', '{"a":'],
    [400, 'application/json', ''],
    [400, 'application/json', '{"__proto__":1}'],
    [415, 'application/unknown', 'a'],
    [415, 'nonsense', 'a'],
    [200, type, '--x--\r\n'],
    [200, type, `${part(field)}--x--\r\nwhat comes behind`],
    [200, type, `what comes before\r\n${part(field)}--x--`],
    [200, `${type}; charset=utf-8`, `${part(field)}--x--`],
    [200, 'application/x-www-form-urlencoded', '%'],
    [200, 'application/x-www-form-urlencoded', '&&&=&%zz=%e2'],
  ]
  const answers: typeof cases = []
  for (const [, contentType, body] of cases) {
    const answer = await post('/echo', body, { ...JSON_ONLY, 'content-type': contentType })
    await answer.arrayBuffer()
    answers.push([answer.status, contentType, body])
  }
  t.strictSame(answers, cases)
  t.strictSame(leftFiles(), [])
  t.equal(log.errors().length, 0)
})

t.test('an empty file input is a file without a name, and counts as a field', async (t) => {
  const part =
    '--x\r\nContent-Disposition: form-data; name="f"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n'
  const headers = { ...JSON_ONLY, 'content-type': 'multipart/form-data; boundary=x' }
  const { entries } = (await (await post('/echo', `${part.repeat(5)}--x--`, headers)).json()) as { entries: unknown[] }
  t.equal(entries.length, 5)
  t.match(entries[0], ['f', { name: '', type: 'application/octet-stream', size: 0 }])
  t.equal((await post('/echo', `${part.repeat(21)}--x--`, headers)).status, 413)
  t.equal((await post('/echo', `${part}content\r\n--x--`, headers)).status, 400)
})

t.test('a body that is cut or changed anywhere gets a response, and no file stays', async (t) => {
  const random = createRandom(3)
  const whole = [
    '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\ntext\r\n',
    '--x\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\ncontent of it\r\n',
    '--x--\r\n',
  ].join('')
  for (let round = 0; round < 120; round++) {
    const bytes = Buffer.from(whole.slice(0, random.below(whole.length + 1)))
    for (let changes = random.below(4); changes > 0 && bytes.length > 0; changes--)
      bytes[random.below(bytes.length)] = random.below(256)
    const answer = await post('/echo', bytes, { ...JSON_ONLY, 'content-type': 'multipart/form-data; boundary=x' })
    await answer.arrayBuffer()
    if (answer.status !== 200 && answer.status !== 400) t.fail(`${answer.status} for ${JSON.stringify(String(bytes))}`)
  }
  t.equal(log.errors().length, 0)
  t.strictSame(leftFiles(), [])
})

function upload(): FormData {
  const body = new FormData()
  body.append('file', new File(['content'], 'a.txt', { type: 'text/plain' }))
  return body
}

t.test('files are on the disk while the action runs, and are removed after it', async (t) => {
  seen.length = 0
  for (const headers of [JSON_ONLY, { accept: 'text/html' }]) {
    await (await post('/echo', upload(), headers)).text()
    await untilNoFiles()
    await (await post('/fails', upload(), headers)).text()
    t.strictSame(leftFiles(), [])
  }
  t.strictSame(seen, [1, 1, 1, 1])
})

/** Sends the headers of a multipart request, over a connection that the test closes. */
function sendHeaders(path: string, bodyBytes: number, to = origin) {
  const { port } = new URL(to)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${bodyBytes}\r\n\r\n`,
  )
  return socket
}

const filePart = (text: string) => `--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n${text}\r\n`

/** Sends a multipart request whose body is `short` bytes short. */
function sendCut(path: string, short: number, to = origin) {
  const body = `${filePart('x'.repeat(100_000))}--x--\r\n`
  const socket = sendHeaders(path, body.length, to)
  socket.write(body.slice(0, body.length - short))
  return socket
}

async function untilLine(text: string, count: number) {
  while (log.lines.filter(({ msg }) => msg.includes(text)).length < count) await setImmediate()
}

t.test('files are removed when the visitor leaves during the form or the action', async (t) => {
  const cut = sendCut('/echo', 50)
  while (leftFiles().length === 0) await setImmediate()
  cut.destroy()
  await untilLine('the client disconnected', 1)
  await untilNoFiles()
  const waiting = sendCut('/waits', 0)
  await untilLine('action has begun', 1)
  t.equal(leftFiles().length, 1)
  waiting.destroy()
  await untilLine('the client disconnected', 2)
  t.equal(leftFiles().length, 1, 'the running action keeps its file')
  gate.open()
  await untilNoFiles()
  t.equal(log.errors().filter(({ url }) => url === '/waits').length, 0)
})

t.test('a file that the disk has no space for is a failure, with the digest of the log', async (t) => {
  const first = filePart('a')
  const rest = `${filePart('b'.repeat(300_000))}--x--\r\n`
  const socket = sendHeaders('/echo', first.length + rest.length)
  socket.write(first)
  while (leftFiles().length === 0) await setImmediate()
  const [folder = ''] = leftFiles()
  // The place of the second file. A write to this device fails as one to a full disk does.
  symlinkSync('/dev/full', join(temporary, folder, '2'))
  socket.write(rest)
  const answer = await text(socket)
  const [failure, ...more] = log.errors().filter(({ url }) => url === '/echo')
  t.match(answer, /^HTTP\/1\.1 500 /)
  t.match(answer, `x-error-digest: ${failure?.digest}`)
  t.match(failure?.err?.message, `an uploaded file cannot be written to ${temporary}: ENOSPC`)
  t.strictSame(more, [])
  t.strictSame(leftFiles(), [])
})

t.test('a form with files is refused while other forms take up the space', async (t) => {
  const { app } = await testSite(t, site, { bodyLimit: 10_000, forms: { ...limits, maxUploadBytes: 150_000 }, dir })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const send = async () => {
    const body = new FormData()
    body.set('file', new File(['x'.repeat(100_000)], 'a'))
    const answer = await fetch(`${app.listeningOrigin}/echo`, { method: 'POST', body, headers: JSON_ONLY })
    return { status: answer.status, text: await answer.text() }
  }
  t.equal((await send()).status, 200)
  const holding = sendCut('/echo', 50, app.listeningOrigin)
  let answer = await send()
  // Until the whole request has arrived.
  while (answer.status === 200) answer = await send()
  t.equal(answer.status, 429)
  t.match(answer.text, 'Too many files are being uploaded.')
  t.equal(leftFiles().length <= 1, true, 'the refused form leaves no file')
  holding.destroy()
  await untilNoFiles()
  while ((await send()).status !== 200) await setImmediate()
})

t.test('form plugins of an app still work, and do not handle the forms of the site', async (t) => {
  const host = Fastify({ logger: createLog().logger })
  t.teardown(() => host.close())
  await host.register(formbody)
  await host.register(multipart, { attachFieldsToBody: 'keyValues' })
  host.post('/own', async ({ body }) => body)
  await host.register(hydrant, { dir: writeTestSite(dir, site) })
  const encode = async (body: BodyInit) => {
    const response = new Response(body)
    const type = response.headers.get('content-type') ?? ''
    return { payload: Buffer.from(await response.arrayBuffer()), headers: { ...JSON_ONLY, 'content-type': type } }
  }
  for (const body of [new URLSearchParams({ a: '1' }), upload()]) {
    const sent = await encode(body)
    const own = await host.inject({ method: 'POST', url: '/own', ...sent })
    t.equal(own.statusCode, 200)
    const answer = await host.inject({ method: 'POST', url: '/echo', ...sent })
    t.equal(answer.statusCode, 200)
    t.match(answer.json(), { isBody: true, entries: [[body instanceof FormData ? 'file' : 'a']] })
  }
  t.strictSame(
    (await host.inject({ method: 'POST', url: '/own', ...(await encode(new URLSearchParams({ a: '1' }))) })).json(),
    { a: '1' },
  )
})
