// Runs the commands on the site's page for scripts, exactly as they are written there.

import { execFile } from 'node:child_process'
import t from 'tap'
import { type Script, scriptFor, scripts } from '../../site/content/scripts.ts'
import { startSite } from '../site-server.ts'
import { PYTHON } from '../tools.ts'

const DIGEST = /[0-9A-HJKMNP-TV-Z]{8}-[0-9A-HJKMNP-TV-Z]{6}/
const PROBLEM = {
  type: 'about:blank',
  title: 'Internal Server Error',
  status: 500,
  instance: '/failures/f3/fail',
  digest: DIGEST,
}
const NOTE = { id: Number, text: String, colour: /^(red|blue|yellow)$/, writtenAt: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ }

interface Expected {
  /** The exit code of the command (0). */
  code?: number
  /** The first line of the output of `curl -i` and `curl -I`. */
  status?: string
  headers?: Record<string, string | RegExp>
  /** The shape of the JSON after the headers. */
  json?: unknown
  /** The whole output, if it is not JSON. */
  text?: string | RegExp
}

const { port } = await startSite(t)
const site = `http://127.0.0.1:${port}`

const EXPECTED: Record<string, Expected> = {
  'send-form': {
    status: 'HTTP/1.1 303 See Other',
    headers: {
      location: '/notes',
      'cache-control': 'no-store',
      'set-cookie': /^notes-visitor=[\da-f-]{36}; Path=\/notes; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
    },
    text: '',
  },
  'send-json': {
    json: {
      notes: [
        { ...NOTE, text: 'Written as JSON' },
        { ...NOTE, text: 'Written by curl & co.', colour: 'blue' },
      ],
    },
  },
  'send-wget': { json: { notes: [{ ...NOTE, text: 'Written by wget' }] } },
  'send-empty': {
    status: 'HTTP/1.1 422 Unprocessable Entity',
    headers: { 'content-type': /^application\/problem\+json/ },
    json: { status: 422, errors: [{ path: 'text', message: 'Write something.' }] },
  },
  'send-python': { text: '200 Written by Python\n422 That is 281 characters long; a note has at most 280.\n' },
  'send-delete-refused': {
    status: 'HTTP/1.1 403 Forbidden',
    json: { detail: 'Only the visitor who wrote a note can delete it.', digest: undefined },
  },
  'send-delete': { status: 'HTTP/1.1 204 No Content', text: '' },
  'read-curl': { json: { notes: [NOTE, NOTE, NOTE] } },
  'read-search': { json: { count: 3, notes: [{ ...NOTE, text: 'Written by Python' }] } },
  'read-wget': { json: { notes: [NOTE, NOTE, NOTE] } },
  'read-python': { text: '4 red Written by Python\n3 red Written by wget\n2 red Written as JSON\n' },
  'fail-curl': {
    status: 'HTTP/1.1 500 Internal Server Error',
    headers: { 'content-type': /^application\/problem\+json/, 'x-error-digest': DIGEST, 'cache-control': 'no-store' },
    json: PROBLEM,
  },
  'fail-unknown': {
    status: 'HTTP/1.1 404 Not Found',
    headers: { 'content-type': /^application\/problem\+json/ },
    json: { title: 'Not Found', status: 404, instance: '/notes/0', digest: undefined },
  },
  'fail-no-load': { status: 'HTTP/1.1 406 Not Acceptable', json: { title: 'Not Acceptable', status: 406 } },
  'fail-wget': { code: 8, json: PROBLEM },
  'fail-python': { text: new RegExp(`^500 Internal Server Error ${DIGEST.source}\n$`) },
  'look-head': {
    status: 'HTTP/1.1 200 OK',
    headers: { 'content-type': /^application\/json/, vary: /Accept/ },
    text: '',
  },
  'look-etag': { text: '200\n304\n' },
  'look-redirect': { text: `308 ${site}/docs\n` },
}

const cwd = t.testdir({})
const answer = await fetch(`${site}/docs/scripts`)
const page = textOf(await answer.text())

t.strictSame(scripts.map(({ id }) => id).sort(), Object.keys(EXPECTED).sort(), 'each of them is known here')

for (const script of scripts) {
  await t.test(`${script.id}: ${script.title}`, async (t) => {
    const { code = 0, status, headers = {}, json, text } = EXPECTED[script.id] ?? {}
    const command = scriptFor(site, script)
    t.ok(page.includes(command), 'the page shows it')
    const result = await run(script, command)
    t.equal(result.code, code, result.stderr)
    const parts =
      status === undefined ? null : /^(?<head>[\s\S]*?)\r\n\r\n(?<body>[\s\S]*)$/.exec(result.stdout)?.groups
    const [first, ...lines] = parts?.head?.split('\r\n') ?? []
    t.equal(first, status)
    const fields = Object.fromEntries(
      lines.map((line) => [/^[^:]*/.exec(line)?.[0].toLowerCase() ?? '', line.replace(/^[^:]*: /, '')]),
    )
    for (const [name, value] of Object.entries(headers)) {
      t.match(fields[name], value, name)
    }
    const body = parts?.body ?? result.stdout
    if (json !== undefined) t.match(JSON.parse(body), json)
    if (text instanceof RegExp) t.match(body, text)
    else if (text !== undefined) t.equal(body, text)
  })
}

function run({ language }: Script, command: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const [program, words] = language === 'python' ? [PYTHON, ['-c', command]] : ['/bin/sh', ['-ec', command]]
  return new Promise((resolve, reject) => {
    const child = execFile(program, words, { cwd }, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') reject(error)
      else resolve({ code: child.exitCode ?? 0, stdout, stderr })
    })
  })
}

/** Returns the text of a document as a visitor would read and copy it. */
function textOf(html: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }
  return html.replace(/<[^>]*>/g, '').replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => named[name] ?? '')
}
