// Forms that exceed a limit: the page shows them again, with the texts that fit.

import { once } from 'node:events'
import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { z } from 'zod'
import type { ActionContext } from '../../../src/server/index.ts'
import type { ErrorPageProps, Field } from '../../../src/shared/react.ts'
import { testSite } from '../../test-site.ts'
import { HTML, JSON_ONLY } from '../served.ts'

interface Invalid {
  issues: Record<string, string[]>
  values: Record<string, string | string[]>
}

interface FormProps {
  invalid?: Invalid
  fields: Record<'text' | 'name', Field>
  actionData: unknown
}

let runs = 0
/** What a hook of the site has seen of each form. */
const bodies: (number | string)[] = []

const site = {
  '/error': ({ status, message }: ErrorPageProps) => (
    <p id="failed">
      {status}|{message}
    </p>
  ),
  '/form': {
    Component: ({ invalid, fields, actionData }: FormProps) => (
      <form method="post">
        <output>{JSON.stringify(invalid ?? actionData)}</output>
        <textarea {...fields.text} />
        <input {...fields.name} />
      </form>
    ),
    form: z.object({ text: z.string().optional(), name: z.string().optional() }),
    load: () => ({ runs }),
    action({ form }: ActionContext) {
      runs++
      return [...form.keys()].length
    },
  },
  '/plain': { action: () => 1 },
}

async function server(app: FastifyInstance) {
  app.addHook('preHandler', async ({ method, body }) => {
    if (method === 'POST') bodies.push(body instanceof FormData ? [...body.keys()].length : 'no form')
  })
}

const LIMIT = 2_000
const limits = { maxFields: 5, maxFiles: 2, maxFileBytes: 10_000 }
const { app, log } = await testSite(t, site, { server, bodyLimit: LIMIT, forms: limits })
await app.listen({ port: 0, host: '127.0.0.1' })

type Entry = readonly [name: string, value: string]

function encode(entries: readonly Entry[], Kind: typeof FormData | typeof URLSearchParams) {
  const body = new Kind()
  for (const [name, value] of entries) body.append(name, value)
  return body
}

async function post(path: string, body: FormData | URLSearchParams, headers: Record<string, string> = HTML) {
  const response = await fetch(app.listeningOrigin + path, { method: 'POST', body, headers })
  const text = await response.text()
  const shown = /<output>(.*?)<\/output>/s.exec(text)?.[1]?.replaceAll('&quot;', '"')
  // The page writes its prop `invalid`.
  const invalid = shown === undefined ? null : (JSON.parse(shown) as Invalid)
  return { status: response.status, text, invalid }
}

const CUT = 'This text is too long. Only its beginning has been received.'
const TOO_LARGE = `The data that you sent is larger than ${LIMIT} bytes.`
const INCOMPLETE = 'Some fields have not been received.'

for (const Kind of [FormData, URLSearchParams]) {
  const kind = Kind === FormData ? 'multipart' : 'urlencoded'
  const send = (entries: Entry[], headers?: Record<string, string>) => post('/form', encode(entries, Kind), headers)

  t.test(`${kind}: a text that is too long is cut, and the fields after it are kept`, async (t) => {
    const before = (await app.inject({ url: '/form', headers: JSON_ONLY })).json()
    bodies.length = 0
    const { status, invalid, text } = await send([
      ['name', 'Ada'],
      ['text', 'x'.repeat(9_000)],
      ['email', 'ada@example.org'],
      ['password', 'hunter2'],
    ])
    t.equal(status, 413)
    t.strictSame(invalid, {
      issues: { '': [TOO_LARGE], text: [CUT] },
      values: { name: 'Ada', text: 'x'.repeat(LIMIT), email: 'ada@example.org' },
    })
    t.match(text, new RegExp(`<textarea[^>]*autofocus[^>]*>x{${LIMIT}}</textarea>`, 'i'), 'it has the focus')
    t.strictSame((await app.inject({ url: '/form', headers: JSON_ONLY })).json(), before, 'the action has not run')
    t.strictSame(bodies, ['no form'], 'hooks of the site do not take a part for the whole')
  })

  t.test(`${kind}: several texts that are too long together are all kept`, async (t) => {
    const entries: Entry[] = ['a', 'b', 'c'].map((name) => [name, name.repeat(900)])
    const { status, invalid } = await send([...entries, ['d', 'd'.repeat(5_000)], ['e', 'e']])
    t.equal(status, 413)
    t.match(invalid?.values, Object.fromEntries(entries))
    t.match(invalid?.issues, { '': [TOO_LARGE], d: [CUT] })
    const kept = Object.entries(invalid?.values ?? {})
      .flat()
      .join('').length
    t.ok(kept <= 2 * LIMIT, `${kept} characters are kept`)
  })

  t.test(`${kind}: a text is not cut inside a character`, async (t) => {
    const wrong: string[] = []
    for (const character of ['é', '€', '😀']) {
      for (const shift of ['', 'x', 'xx', 'xxx']) {
        const { invalid } = await send([['text', shift + character.repeat(1_500)]])
        const text = String(invalid?.values.text)
        const isWhole = text === shift + character.repeat((text.length - shift.length) / character.length)
        const bytes = Buffer.byteLength(text)
        if (!isWhole || bytes <= LIMIT - 5 || bytes > LIMIT)
          wrong.push(`${shift}${character}: ${bytes} bytes of ${text}`)
      }
    }
    t.strictSame(wrong, [])
  })

  t.test(`${kind}: fields that are too many are kept up to twice the limit`, async (t) => {
    const of = (count: number) => Array.from({ length: count }, (_, index) => [`f${index}`, 'typed'] as const)
    const few = await send(of(8))
    t.equal(few.status, 413)
    t.strictSame(few.invalid?.values, Object.fromEntries(of(8)))
    t.strictSame(few.invalid?.issues, { '': ['The form has more than 5 fields.'] })
    const many = await send(of(60))
    t.equal(many.status, 413)
    t.strictSame(many.invalid?.values, Object.fromEntries(of(10)))
    t.strictSame(many.invalid?.issues[''], ['The form has more than 5 fields.', INCOMPLETE])
  })

  t.test(`${kind}: a name that is too long is not kept`, async (t) => {
    const { status, invalid } = await send([
      ['n'.repeat(9_000), 'v'],
      ['name', 'Ada'],
    ])
    t.equal(status, 413)
    t.strictSame(invalid, { issues: { '': [TOO_LARGE, INCOMPLETE] }, values: { name: 'Ada' } })
  })

  t.test(`${kind}: a body that is larger than the texts and files of a form may be is refused`, async (t) => {
    const { status, text } = await send([['text', 'x'.repeat(LIMIT + 2 * 10_000 + 100_000)]])
    t.equal(status, 413)
    t.match(text, `<p id="failed">413<!-- -->|<!-- -->${TOO_LARGE}`)
  })

  t.test(`${kind}: a program, and a page without a schema, get a refusal`, async (t) => {
    const large: Entry[] = [['text', 'x'.repeat(9_000)]]
    const json = await send(large, JSON_ONLY)
    t.equal(json.status, 413)
    t.match(JSON.parse(json.text), { status: 413, detail: TOO_LARGE })
    const plain = await post('/plain', encode(large, Kind))
    t.equal(plain.status, 413)
    t.match(plain.text, `413<!-- -->|<!-- -->${TOO_LARGE}`)
  })

  t.test(`${kind}: a body that ends too early is malformed`, async (t) => {
    const body = new Response(encode([['text', 'x'.repeat(9_000)]], Kind))
    const type = body.headers.get('content-type')
    const bytes = Buffer.from(await body.arrayBuffer())
    const { port } = new URL(app.listeningOrigin)
    const socket = connect(Number(port), '127.0.0.1')
    t.teardown(() => socket.destroy())
    const before = log.lines.length
    const lines = ['POST /form HTTP/1.1', 'Host: localhost', `Content-Type: ${type}`, `Content-Length: ${bytes.length}`]
    socket.end(Buffer.concat([Buffer.from(`${[...lines, '', ''].join('\r\n')}`), bytes.subarray(0, 5_000)]))
    socket.resume()
    await once(socket, 'close')
    t.strictSame(
      log.lines.slice(before).filter(({ level }) => level >= 50),
      [],
    )
  })
}

t.test('a form that exceeds a limit keeps no file', async (t) => {
  const body = new FormData()
  body.set('photo', new File(['x'.repeat(5_000)], 'a.png'))
  body.set('text', 'x'.repeat(9_000))
  body.set('late', new File(['x'.repeat(5_000)], 'b.png'))
  body.set('name', 'Ada')
  const { status, invalid } = await post('/form', body)
  t.equal(status, 413)
  t.strictSame(Object.keys(invalid?.values ?? {}), ['text', 'name'])
})

t.test('parts without a name end', async (t) => {
  const headers = { ...HTML, 'content-type': 'multipart/form-data; boundary=x' }
  const payload = `${'--x\r\nX: y\r\n\r\n\r\n'.repeat(200)}--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nAda\r\n--x--`
  const { statusCode, body } = await app.inject({ method: 'POST', url: '/form', headers, payload })
  t.equal(statusCode, 413)
  t.match(body, 'The form has more than 5 fields.')
  const line = 'refused with 413: The form has more than 5 fields. ("forms.maxFields")'
  t.equal(log.lines.findLast(({ statusCode }) => statusCode === 413)?.msg, line, 'the operator reads the option')
  t.notMatch(body, 'maxFields', 'the visitor does not')
})

t.test('an urlencoded body at a limit passes, however it is divided', async (t) => {
  const text = `name=${'%C3%A9'.repeat(300)}&&b=1&c=2&d=&=e`
  const payload = `${text}${'&'.repeat(LIMIT - text.length)}`
  const { port } = new URL(app.listeningOrigin)
  const socket = connect(Number(port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  socket.setNoDelay(true)
  const head = [
    'POST /form HTTP/1.1',
    'Host: localhost',
    'Accept: application/json',
    'Connection: close',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${payload.length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  for (let index = 0; index < payload.length; index += 7) socket.write(payload.slice(index, index + 7))
  let response = ''
  socket.on('data', (chunk: Buffer) => {
    response += chunk
  })
  await once(socket, 'close')
  t.match(response, /^HTTP\/1\.1 200[\s\S]*\r\n5$/)
})
