// What a test file needs, by its name.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { reachedBy } from './import-graph.ts'

/**
 * - `inject`: `*.test.ts` runs in the process of the test.
 * - `smoke`: `*.smoke.test.ts` tries a browser, or commands as processes.
 * - `browser`: `*.browser.test.ts` drives Chromium, Firefox or WebKit.
 * - `process`: `*.process.test.ts` starts commands, proxies and databases.
 * - `release`: `*.release.test.ts` tests what is published: documents, examples, types, packages and benchmarks.
 */
export type Tier = 'inject' | 'smoke' | 'browser' | 'process' | 'release'

/** The tiers of `npm test`. */
export const FIRST: readonly Tier[] = ['inject', 'smoke']
export const TIERS: readonly Tier[] = [...FIRST, 'release', 'process', 'browser']

const ROOT = 'dist/test'

/**
 * Code that changes or measures the process: a file with it, or with it in a module of the tests that it imports, has a
 * process of its own. A file can also ask for one by the first words here.
 */
const CHANGES_PROCESS = [
  /\/\/ Needs a process of its own/,
  /process\.(?:on|once|emit|chdir|exit|umask|setuid|memoryUsage|cpuUsage|resourceUsage)\(|process\.exitCode/,
  /^import .* from 'node:cluster'|setFlagsFromString|Error\.(?:stackTraceLimit|prepareStackTrace)/m,
]

/**
 * Returns the time after which a file is ended. A busy machine needs a fifth of it for the longest file; one that others
 * keep busy, too, needs half.
 */
export function patienceOf(file: string): number {
  return tierOf(file) === 'inject' ? 180_000 : 600_000
}

/** Returns the tier of a compiled test. */
export function tierOf(file: string): Tier {
  const [, tier = 'inject'] = /\.(\w+)\.test\.js$/.exec(file) ?? []
  return TIERS.find((name) => name === tier) ?? 'inject'
}

/** Lists the compiled tests by tier, in the order of `TIERS`. `tsc` leaves those of deleted sources behind. */
export function listTests(): string[] {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js') && hasSource(file))
    .sort()
    .map((file) => join(ROOT, file))
  return TIERS.flatMap((tier) => files.filter((file) => tierOf(file) === tier))
}

function hasSource(file: string): boolean {
  return ['ts', 'tsx'].some((end) => existsSync(join('test', file.replace(/js$/, end))))
}

/** Says whether a compiled test needs a process of its own. */
export function isAlone(file: string): boolean {
  const tier = tierOf(file)
  if (tier === 'process' || tier === 'release') return true
  const own = [...reachedBy(file)].filter((path) => path.startsWith(`${ROOT}/`) && !path.startsWith(`${ROOT}/runner/`))
  return own.some((path) => CHANGES_PROCESS.some((pattern) => pattern.test(readFileSync(path, 'utf8'))))
}
