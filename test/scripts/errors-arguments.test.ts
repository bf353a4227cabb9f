import t from 'tap'
import { type ErrorsFlags, readRequest, readWords } from '../../scripts/commands/errors.ts'
import { findFailing } from '../find-failing.ts'
import { DAY, HOUR, MINUTE, NOW } from './failed-ledger.ts'

const isFolder = (word: string) => ['.', './my-site', 'shopshop'].includes(word)
const DIGEST = { fingerprint: '7F3KQ2M9', occurrence: 'K4D2P1' }

t.test('distinguishes a digest from a folder', async (t) => {
  const cases: [string[], unknown][] = [
    [[], { digest: null, dir: '.' }],
    [['./my-site'], { digest: null, dir: './my-site' }],
    [['7F3KQ2M9-K4D2P1'], { digest: DIGEST, dir: '.' }],
    [['7F3KQ2M9-K4D2P1', './my-site'], { digest: DIGEST, dir: './my-site' }],
    [['7f3k', 'q2m9', 'k4d2', 'p1', './my-site'], { digest: DIGEST, dir: './my-site' }],
    [['7f3kq2m9', 'k4d2pl'], { digest: DIGEST, dir: '.' }],
    [['Digest:', '7F3KQ2M9-K4D2P1'], { digest: DIGEST, dir: '.' }],
    [['7f3kq2m9'], { digest: { fingerprint: '7F3KQ2M9' }, dir: '.' }],
    [['shopshop'], { digest: null, dir: 'shopshop' }],
    [['sh0psh0p'], { digest: { fingerprint: 'SH0PSH0P' }, dir: '.' }],
  ]
  const failing = await findFailing(
    cases,
    ([words]) => readWords(words, isFolder),
    ([, expected]) => expected,
  )
  t.strictSame(failing, [])
})

t.test('refuses an argument that is neither a digest nor a folder', async (t) => {
  const neither = { code: 'HYD_CLI_USAGE', message: /is neither a digest \(like .*\) nor a folder$/ }
  for (const words of [['my-sit'], ['7F3KQ2M'], ['no-such', './my-site'], ['./my-site', '7F3KQ2M9']]) {
    t.throws(() => readWords(words, isFolder), neither, words.join(' '))
  }
  t.throws(() => readWords(['7F3KQ2M9', './my-sit'], isFolder), {
    code: 'HYD_CLI_DIR',
    message: '"./my-sit" is not a folder',
  })
})

t.test('reads the filters and the order of a list', async (t) => {
  const queryOf = (flags: ErrorsFlags) => {
    const request = readRequest(null, flags, NOW)
    return request.kind === 'list' ? request.query : null
  }
  t.strictSame(queryOf({}), {})
  t.strictSame(queryOf({ since: '30m' }), { since: NOW - 30 * MINUTE })
  t.strictSame(queryOf({ since: '24h' }), { since: NOW - 24 * HOUR })
  t.strictSame(queryOf({ since: '7d' }), { since: NOW - 7 * DAY })
  t.strictSame(queryOf({ since: '2026-11-20' }), { since: Date.UTC(2026, 10, 20) })
  t.strictSame(queryOf({ since: '2026-11-20T10:00:00Z' }), { since: Date.UTC(2026, 10, 20, 10) })
  t.strictSame(queryOf({ release: 'v1', new: true, sort: 'count' }), { release: 'v1', sort: 'count', isNew: true })
  t.strictSame(queryOf({ side: 'client', route: '/a', open: true }), { side: 'client', route: '/a', isSolved: false })
})

t.test('limits everything to 20 by default', async (t) => {
  t.match(readRequest(null, {}, NOW), { kind: 'list', limit: 20, isJson: false })
  t.match(readRequest(DIGEST, { limit: '3', json: true }, NOW), { kind: 'one', digest: DIGEST, limit: 3, isJson: true })
})

t.test('refuses invalid flags', async (t) => {
  const refused = (flags: ErrorsFlags, message: string) =>
    t.throws(() => readRequest(null, flags, NOW), { code: 'HYD_CLI_USAGE', message }, message)
  for (const since of ['', 'yesterday', '7', '7x', '-7d', '2026-13-45']) refused({ since }, '--since must be like 30m')
  refused({ sort: 'time' }, '--sort must be last, first or count; got "time"')
  refused({ side: 'both' }, '--side must be server or client; got "both"')
  for (const limit of ['0', '-1', '1.5', 'all', '10001'])
    refused({ limit }, '--limit must be a whole number from 1 to 10000')
  for (const flags of [{ since: '7d' }, { side: 'server' }, { route: '/' }, { open: true }, { new: true }]) {
    t.throws(() => readRequest(DIGEST, flags, NOW), { code: 'HYD_CLI_USAGE', message: 'applies to the list' })
  }
})
