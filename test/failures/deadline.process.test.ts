import t from 'tap'
import { digestLine } from '../../src/shared/wire/public-error.ts'
import { createHttpClient } from '../http-client.ts'
import { ERROR, startSite } from '../site-server.ts'

// Its parts stop with the signal, as a query or a fetch would: their promises reject because of the deadline.
const SLOW = '/failures/f16/fail'

const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

const CLIENTS = [
  { name: 'an HTTP client', headers: {}, status: 200 },
  { name: 'a crawler', headers: { 'user-agent': GOOGLEBOT }, status: 504 },
  { name: 'a client that asks for JSON', headers: { accept: 'application/json' }, status: 504 },
]

t.test('F15: code that stops because of the deadline is not a failure of its own', async (t) => {
  const site = await startSite(t, { env: { LOG_LEVEL: 'debug' } })
  const http = createHttpClient(t)
  const answers = await Promise.all(CLIENTS.map(({ headers }) => http.send({ port: site.port, path: SLOW, headers })))
  await site.settleLog()
  for (const [index, { name, status }] of CLIENTS.entries()) {
    await t.test(name, async (t) => {
      const answer = answers[index]
      if (!answer) return t.fail('no answer')
      const { status: given, headers, body } = answer
      t.equal(given, status)
      const lines = site.linesOf(String(headers['x-request-id']))
      const errors = lines.filter(({ level }) => level === ERROR)
      t.equal(errors.length, 1, 'one line for one failure')
      const [error] = errors
      t.equal(error?.err?.type, 'HydrantError', 'which is the deadline')
      t.match(`${error?.pending?.join()} ${error?.msg}`, /data\.parts\.19/, 'and says what was pending')
      const digests = new Set(body.match(/\b[0-9A-HJKMNP-TV-Z]{8}-[0-9A-HJKMNP-TV-Z]{6}\b/g))
      t.same([...digests], [error?.digest], 'nothing else is shown')
      if (status === 200) t.match(body, digestLine(error?.digest ?? ''))
      t.ok(
        lines.some(({ msg }) => msg.includes('no more parts are made')),
        'load has been told through its signal',
      )
    })
  }
})
