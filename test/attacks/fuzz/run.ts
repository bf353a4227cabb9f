// `npm run fuzz -- --seconds 300 [--seed 1]`: the fuzzer for longer. What it finds is printed as JSON, a line each.

import { mkdtempSync, rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { BUILD_HEADER } from '../../../src/shared/navigation.ts'
import { navigationHeaders } from '../../server/lines.ts'
import { buildFiles, serve } from '../../server/served.ts'
import { fuzzParsers } from './fuzz-parsers.ts'
import { FUZZ_OPTIONS, fuzzServer, isOwnFailure, SITE } from './fuzz-server.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } })
const seconds = Number(values.seconds ?? 60)
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))

const MAX_MEGABYTES = 500

process.env.NODE_ENV = 'production'
// In the package's folder, where the site finds React.
const dir = mkdtempSync('.build-fuzz-')
const endings: (() => unknown)[] = [() => rmSync(dir, { recursive: true })]
try {
  await buildFiles(dir, SITE)
  const { app, log } = await serve({ teardown: (end) => void endings.unshift(end) }, dir, FUZZ_OPTIONS)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const start = performance.now()
  const isOver = () => performance.now() - start > seconds * 800
  const build = navigationHeaders(dir)[BUILD_HEADER] ?? ''
  const server = await fuzzServer({ app, build, seed, isOver })
  const parsers = fuzzParsers(seed, () => performance.now() - start > seconds * 1_000)
  for (const finding of [...server.findings, ...parsers.findings]) console.log(JSON.stringify(finding))
  const failures = log.errors().filter(isOwnFailure)
  for (const line of failures) console.log(JSON.stringify(line))
  const found = server.findings.length + parsers.findings.length + failures.length
  const memory = Math.round(process.memoryUsage().rss / 1e6)
  console.log(`seed ${seed}: ${server.count} requests and ${parsers.count} texts, ${found} findings, ${memory} MB`)
  process.exitCode = found === 0 && memory < MAX_MEGABYTES ? 0 : 1
} finally {
  for (const end of endings) await end()
}
