// Generated requests, which belong to no class of attack. For a longer run, and other seeds: `npm run fuzz --
// --seconds 300`.

import t from 'tap'
import { BUILD_HEADER } from '../../src/shared/wire/navigation-protocol.ts'
import { navigationHeaders } from '../server/lines.ts'
import { buildFiles, serve } from '../server/served.ts'
import { FOUND } from './fuzz/found.ts'
import { fuzzParsers } from './fuzz/fuzz-parsers.ts'
import { FUZZ_OPTIONS, fuzzServer, isOwnFailure, SITE } from './fuzz/fuzz-server.ts'
import { listenRaw } from './raw.ts'

const seed = Number(process.env.FUZZ_SEED ?? 1)
const dir = await buildFiles(t.testdir({}), SITE)
const within = (ms: number) => {
  const start = performance.now()
  return () => performance.now() - start > ms
}

t.test(`a server responds correctly to any bytes (FUZZ_SEED=${seed})`, async (t) => {
  const { app, log, get } = await serve(t, dir, FUZZ_OPTIONS)
  await listenRaw(t, app)
  const build = navigationHeaders(dir)[BUILD_HEADER] ?? ''
  const known = await fuzzServer({ app, build, seed, isOver: () => false, requests: FOUND })
  t.strictSame(known.findings, [], 'what has been found before')
  const { count, findings } = await fuzzServer({ app, build, seed, isOver: within(3_000) })
  t.strictSame(findings.slice(0, 3), [])
  t.strictSame(log.errors().filter(isOwnFailure).slice(0, 3), [], 'and nothing is a failure of the server')
  t.equal((await get('/')).statusCode, 200, `it lives, ${count} requests later`)
})

t.test(`the parsers of request texts accept any text (FUZZ_SEED=${seed})`, async (t) => {
  const { count, findings } = fuzzParsers(seed, within(1_500))
  t.strictSame(findings.slice(0, 3), [])
  t.ok(count > 0)
})
