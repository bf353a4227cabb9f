// Texts of a browser's console in the terminal of `hydrant dev`: their format, and the route that receives them.

import { createServer } from 'node:http'
import t from 'tap'
import { fromConsole } from '../../scripts/dev/errors/dev-errors.ts'
import { createConsoleRoute } from '../../scripts/dev/http/console-route.ts'
import { formatDevError } from '../../scripts/terminal/format-dev-error.ts'
import { createPaint } from '../../scripts/terminal/text.ts'
import { formatConsole } from '../../src/client/dev/watch-console.ts'
import { CONSOLE_PATH, type ConsoleText, MAX_CONSOLE_LENGTH } from '../../src/shared/wire/dev-protocol.ts'

const TEXT: ConsoleText = { path: '/shop', message: 'odd', stack: '', ownerStack: '' }

t.test('fills in placeholders and adds further values, as the console does', async (t) => {
  const unreadable = { toString: () => JSON.parse('') }
  for (const [values, expected] of [
    [['plain'], 'plain'],
    [['<%s> in <%s>.%s', 'div', 'p', ''], '<div> in <p>.'],
    [['%o and %d of %i', 'one', 2, 3, 'more', null], 'one and 2 of 3 more null'],
    [['%cstyled%c %s', 'color: red', '', 'text'], 'styled text'],
    [['100 %% of %s, %s', 'it'], '100 % of it, %s'],
    [['failed', new TypeError('no'), unreadable], 'failed TypeError: no an object that cannot be read'],
  ] as const) {
    t.equal(formatConsole(values), expected)
  }
})

t.test('receives texts from pages of this server only, and checks them', async (t) => {
  const received: ConsoleText[] = []
  const respond = createConsoleRoute((text) => received.push(text))
  const server = createServer((request, response) => {
    if (!respond(request, response)) response.writeHead(418).end()
  })
  const port = await new Promise((listening) => {
    server.listen(0, '127.0.0.1', () => listening(Object(server.address()).port))
  })
  t.teardown(() => server.close())
  const origin = `http://127.0.0.1:${port}`
  const send = async (body: unknown, headers: HeadersInit = {}, path: string = CONSOLE_PATH) => {
    const init = { method: 'POST', body: JSON.stringify(body), headers }
    return (await fetch(origin + path, init)).status
  }
  t.equal(await send(TEXT, { origin }), 204)
  t.equal(await send({ ...TEXT, other: 1 }, {}, `/base${CONSOLE_PATH}?`), 204)
  t.strictSame(received.splice(0), [TEXT, TEXT])

  t.equal(await send(TEXT, { origin: 'http://evil.example' }), 403)
  t.equal(await send(TEXT, { origin: 'null' }), 403)
  t.equal(await send(TEXT, { 'sec-fetch-site': 'cross-site' }), 403)
  t.equal(await send(TEXT, { 'sec-fetch-site': 'same-site' }), 403)
  t.equal((await fetch(origin + CONSOLE_PATH)).status, 405)
  for (const invalid of [null, 'text', [], {}, { ...TEXT, stack: 1 }, { ...TEXT, path: undefined }]) {
    t.equal(await send(invalid), 400, JSON.stringify(invalid))
  }
  t.equal(await send({ ...TEXT, message: 'x'.repeat(MAX_CONSOLE_LENGTH + 1) }), 400)
  t.equal(await send({ ...TEXT, message: 'x'.repeat(100_000) }), 413)
  t.equal(await send(TEXT, {}, '/console'), 418, 'other paths are left to the site')
  t.strictSame(received, [])
})

t.test('cannot control the terminal, nor pass for another error', async (t) => {
  const mapper = { mapFrame: (text: string) => ({ text, frame: null }), mapName: String, codeAround: () => null }
  const text = { ...TEXT, path: '/\u001b[2J', message: 'odd \u001b]0;\u0007\nBrowser error' }
  t.strictSame(formatDevError(fromConsole(text, mapper), { paint: createPaint(false), width: 80 }), [
    ...['Browser console  /\\x1b[2J', 'odd \\x1b]0;\\x07', '  Browser error', ''],
  ])
})
