// `npm run fuzz -- --seconds 300 [--seed 1]`: runs the fuzzer for longer. Prints each finding as one line of JSON.

import { mkdtempSync, rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { BUILD_HEADER } from '../../../src/shared/wire/navigation-protocol.ts'
import { navigationHeaders } from '../../server/lines.ts'
import { buildFiles, serve } from '../../server/served.ts'
import { fuzzParsers } from './fuzz-parsers.ts'
import { FUZZ_OPTIONS, fuzzServer, isOwnFailure, SITE } from './fuzz-server.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } })
const seconds = Number(values.seconds ?? 60)
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))

const MAX_MEGABYTES = 500
/** A trusted proxy that strips the base. */
const BEHIND_A_PROXY = { base: '/shop', proxyStripsBase: true, trustProxy: true, forwardedHeader: 'forwarded' } as const

process.env.NODE_ENV = 'production'
// Inside the package's folder, where the site finds React.
const dir = mkdtempSync('.build-fuzz-')
const endings: (() => unknown)[] = [() => rmSync(dir, { recursive: true })]
try {
  await buildFiles(dir, SITE)
  const build = navigationHeaders(dir)[BUILD_HEADER] ?? ''
  let found = 0
  const tell = (lines: readonly object[]) => {
    found += lines.length
    for (const line of lines) console.log(JSON.stringify(line))
  }
  const within = (ms: number) => {
    const start = performance.now()
    return () => performance.now() - start > ms
  }
  for (const options of [{}, BEHIND_A_PROXY]) {
    const { app, log } = await serve({ teardown: (end) => void endings.unshift(end) }, dir, {
      ...FUZZ_OPTIONS,
      ...options,
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { count, findings } = await fuzzServer({ app, build, seed, isOver: within(seconds * 400) })
    tell(findings)
    tell(log.errors().filter(isOwnFailure))
    console.log(`seed ${seed}: ${count} requests, ${JSON.stringify(options)}`)
  }
  const { count, findings } = fuzzParsers(seed, within(seconds * 200))
  tell(findings)
  const memory = Math.round(process.memoryUsage().rss / 1e6)
  console.log(`seed ${seed}: ${count} texts, ${found} findings, ${memory} MB`)
  process.exitCode = found === 0 && memory < MAX_MEGABYTES ? 0 : 1
} finally {
  for (const end of endings) await end()
}
