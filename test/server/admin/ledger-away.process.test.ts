// The console while its ledger is unavailable: each page, each form, and the API.

import { join } from 'node:path'
import t from 'tap'
import { startPostgres } from '../../postgres.ts'
import { openDatabase } from '../ledger/open-database.ts'
import { HTML } from '../served.ts'
import { failureOf, type ServedAdmin, serveAdmin } from './served-admin.ts'

const SENTENCE = 'The ledger cannot be read or written now; the log says why.'
const PAGES = [
  '/',
  '/?solved=all&sort=count',
  '/?after=1.7K2M9QX4.server',
  '/failures/7K2M9QX4',
  '/failures/none',
  '/find?digest=7K2M9QX4',
]

const post = (admin: ServedAdmin, path: string, fields: Record<string, string>) =>
  fetch(admin.origin + path, { method: 'POST', body: new URLSearchParams(fields), headers: HTML, redirect: 'manual' })

t.test('reports that PostgreSQL is unavailable, and recovers', async (t) => {
  const postgres = startPostgres(t)
  const admin = await serveAdmin(t, { ledger: postgres.createDatabase('console') })
  await admin.keep(failureOf('7K2M9QX4-000001'))
  postgres.stop()

  for (const path of PAGES) {
    const page = await admin.ask(path, HTML)
    t.equal(page.status, 503, path)
    t.match(page.body, SENTENCE, path)
    t.match(page.body, `<a class="button" href="${path.replaceAll('&', '&amp;')}">Try again</a>`, path)
    t.match(page.body, '<h1>The ledger is not available</h1>')
    t.notMatch(page.body, /ECONNREFUSED|ENOENT|a-password|HYD_|Digest:/)
    t.equal(page.headers['x-error-digest'], undefined, 'it is no failure of the console')
    const json = await admin.ask(path, { accept: 'application/json' })
    t.equal(json.status, 503, path)
    t.match(JSON.parse(json.body), { kind: 'unavailable', problem: SENTENCE })
  }
  for (const [path, fields] of [
    ['/failures/7K2M9QX4', { intent: 'solve' }],
    ['/failures/7K2M9QX4', { intent: 'reopen' }],
    ['/', { intent: 'solve', fingerprint: '7K2M9QX4' }],
  ] as const) {
    const answer = await post(admin, path, fields)
    t.equal(answer.status, 503, path)
    t.match(await answer.text(), SENTENCE)
  }
  for (const path of ['/api/failures', '/api/failures/7K2M9QX4']) {
    const answer = await admin.ask(path)
    t.equal(answer.status, 503, path)
    t.match(JSON.parse(answer.body), { detail: SENTENCE })
  }
  t.equal((await admin.ask('/metrics')).status, 200)
  t.equal((await admin.ask('/sign-in', HTML)).status, 200)
  t.ok(admin.log.errors().every(({ msg, digest }) => /PostgreSQL|postgres:\/\/\/console/.test(msg) && !digest))
  t.notMatch(JSON.stringify(admin.log.lines), 'a-password')

  postgres.start()
  for (const path of ['/', '/failures/7K2M9QX4'])
    t.match(await admin.ask(path, HTML), { status: 200, body: 'TypeError' })
})

t.test('a file that another process writes can be read, and a failed change is reported', async (t) => {
  const file = join(t.testdir({}), 'errors.db')
  const admin = await serveAdmin(t, { ledger: file })
  await admin.keep(failureOf('7K2M9QX4-000001'))
  const other = openDatabase(file)
  t.teardown(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  t.equal((await admin.ask('/', HTML)).status, 200)
  for (const [path, fields] of [
    ['/failures/7K2M9QX4', { intent: 'solve' }],
    ['/?sort=count', { intent: 'solve', fingerprint: '7K2M9QX4' }],
  ] as const) {
    const answer = await post(admin, path, fields)
    t.equal(answer.status, 503, path)
    const body = await answer.text()
    t.match(body, /role="alert"[^>]*>Nothing was changed\. (?:<!-- -->)?The ledger cannot be read or written now/, path)
    t.match(body, 'TypeError', 'the page is there')
  }
  other.exec('COMMIT')
  t.equal((await post(admin, '/failures/7K2M9QX4', { intent: 'solve' })).status, 303)
  t.type((await admin.store.ledger.read('7K2M9QX4'))?.solvedAt, 'number')
})
