// Attacks on readers of the log: lines that are forged with CR, LF or Unicode's own line breaks (CWE-117), and
// commands for a terminal (CVE-2009-4487 of nginx: escape sequences of requests were in its log unchanged).

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { findFailing } from '../find-failing.ts'
import { cliPath } from '../scripts/cli-path.ts'
import { buildFiles } from '../server/served.ts'
import { until } from '../until.ts'
import { parseRaw, rawRequest, sendRaw } from './raw.ts'

const page = 'export default function Page() {\n  return <p>page</p>\n}\n'
const dir = await buildFiles(t.testdir({}), {
  'pages/fails.tsx': page,
  'pages/fails.server.ts': `export const load = ({ url }) => {
  const text = url.searchParams.get('text')
  throw Object.assign(new Error(text, { cause: new TypeError(text) }), { name: text, digest: text, code: text })
}
`,
  'pages/refuses.tsx': page,
  'pages/refuses.server.ts':
    "import { HttpError } from 'hydrant'\nexport const load = ({ url }) => {\n  throw new HttpError(403, url.searchParams.get('text'))\n}\n",
  'server.ts': `export default async (app) => {
  app.get('/own', async (request) => {
    request.log.info({ agent: request.headers['user-agent'], [request.query.text]: 1 }, request.query.text)
    return 'own'
  })
}
`,
})

const FORGED = '[10:00:00] ERROR: all is lost'
const POISON = [
  `x\r\n${FORGED}`,
  `x\n{"level":50,"time":1,"msg":"${FORGED}"}`,
  `x\u2028${FORGED}\u2029${FORGED}`,
  `x\u0085${FORGED}`,
  '\u001b[2J\u001b]0;owned\u0007\u001b[31mred',
  '\u009b2J\u009d0;owned\u009c',
  'a\bb\u007f\u0000\u202eabc\u2066',
  '\\u001b[2J\\n',
]

/** All bytes that a header or a target may contain, except the first 32. */
const asBytes = (text: string) => text.replace(/[\p{Cc}]|[^\0-\xff]/gu, '\x85').replaceAll(' ', '\xa0')

function requests(): string[] {
  const browser = ['Origin: http://shop.example', 'Sec-Fetch-Site: same-origin', 'Content-Type: application/json']
  return POISON.flatMap((text) => {
    const query = `?${new URLSearchParams({ text })}`
    const bytes = asBytes(text)
    const error = { type: text.slice(0, 90), message: text, stack: `E\n    at ${text} (${text}:1:2)` }
    const report = JSON.stringify({ kind: 'failure', build: text, path: `/${text}`, isRecovered: false, error })
    return [
      rawRequest(`GET /fails${query} HTTP/1.1`, ['Host: shop.example']),
      rawRequest(`GET /refuses${query} HTTP/1.1`, ['Host: shop.example']),
      rawRequest(`GET /own${query} HTTP/1.1`, ['Host: shop.example', `User-Agent: ${bytes}`]),
      rawRequest(`GET /fails${query} HTTP/1.1`, [`Host: shop.example${bytes}`, `X-Forwarded-Host: ${bytes}`]),
      rawRequest(`GET /fails/${bytes.replace(/\s/g, '')} HTTP/1.1`, ['Host: shop.example']),
      rawRequest(`GET /fails?_hydrant HTTP/1.1`, ['Host: shop.example', `hydrant-build: ${bytes}`]),
      rawRequest(`POST /fails HTTP/1.1`, ['Host: shop.example', `Origin: http://${bytes}`, `Sec-Fetch-Site: ${bytes}`]),
      rawRequest(`GET / HTTP/1.1`, ['Host: shop.example', `traceparent: ${bytes}`, `Bad Header${bytes}: 1`]),
      rawRequest(
        `POST /_hydrant/report HTTP/1.1`,
        ['Host: shop.example', ...browser, `Content-Length: ${Buffer.byteLength(report)}`],
        Buffer.from(report).toString('latin1'),
      ),
    ]
  })
}

async function logOf(t: Test, command: string, args: string[]): Promise<string> {
  const child = spawn(command, args, {
    env: { ...process.env, NODE_ENV: 'production', HYDRANT_ADMIN: 'false', HYDRANT_LEDGER: 'false', TERM: 'xterm' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [, port] = await until(() => /listening at http:\/\/127\.0\.0\.1:(\d+)/.exec(output))
  const others: { request: string; status: number }[] = []
  for (const request of requests()) {
    const { status } = parseRaw(await sendRaw(Number(port), request))
    if (!(status >= 200 && status <= 500)) others.push({ request: JSON.stringify(request), status })
  }
  t.strictSame(others, [], 'each is answered with a status from 200 to 500')
  t.equal(parseRaw(await sendRaw(Number(port), rawRequest('GET / HTTP/1.1', ['Host: a']))).status, 200, 'it lives')
  child.kill('SIGTERM')
  await once(child, 'close')
  return output
}

/** Throws when the line is not JSON. */
function typesOf(line: string) {
  const { level, time, pid, msg } = JSON.parse(line)
  return { level: typeof level, time: typeof time, pid: typeof pid, msg: typeof msg }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the test is about these
const OBEYED = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/
const findObeyed = (lines: readonly string[]) => lines.filter((line) => OBEYED.test(line))

t.test('in the JSON log each line is a real one and controls nothing', async (t) => {
  const output = await logOf(t, process.execPath, [cliPath, 'start', dir, '--port', '0'])
  const lines = output.trimEnd().split('\n')
  t.strictSame(findObeyed(lines), [])
  t.ok(lines.length >= POISON.length * 6, `${lines.length} lines`)
  const types = { level: 'number', time: 'number', pid: 'number', msg: 'string' }
  t.strictSame(await findFailing(lines, typesOf, () => types), [])
})

t.test('on a terminal no line is forged, and control characters are shown', async (t) => {
  const start = [process.execPath, cliPath, 'start', dir, '--port', '0'].map((word) => `'${word}'`).join(' ')
  const output = await logOf(t, 'script', ['--quiet', '--flush', '--return', '--command', start, '/dev/null'])
  // Removes the log's own colors and line breaks.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test is about these
  const lines = output.replace(/\x1b\[\d+m/g, '').split(/\r?\n/)
  t.strictSame(findObeyed(lines), [])
  t.ok(
    lines.some((line) => line.includes(FORGED)),
    'it is told',
  )
  const forged = lines.filter((line) => line.startsWith(FORGED) || line.startsWith('{"level'))
  t.strictSame(forged, [], 'and never at the start of a line')
})
