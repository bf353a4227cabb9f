// Runs minutes of mixed load and checks for leaks: `npm run soak [-- --minutes 10] [--record]`.
//
// `hydrant start` serves visitors who read, write, cause failures, disconnect, and are slow. Each response must be
// complete or a clean refusal. Memory must not grow, and after the load no resources may be left. `--record` writes
// the figures to docs/maintaining/tests.md.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ROOT } from './paths.ts'
import { createTally, startLoad, tryEach } from './soak/load.ts'
import { type Held, readKeptFailures, SITE, type SoakServer, startSoakServer } from './soak/server.ts'
import {
  judgeAnswers,
  judgeFailures,
  judgeHeap,
  judgeLeftovers,
  judgeResident,
  kindsTable,
  leftovers,
  MINUTE,
  minutesTable,
  type Sample,
  sampleLine,
  toMarkdown,
  type Verdict,
  verdictLine,
} from './soak/verdict.ts'

const MIN_MINUTES = 3
const SAMPLE_SECONDS = 10
/** The maximum time until all resources of a load are released: a server remembers forms for a minute. */
const SETTLE_MS = 90_000
const CHECK_MS = 500
const RECORD = join(ROOT, 'docs/maintaining/tests.md')
const RECORD_HEADING = '## Last figures of the soak\n'

const { minutes, isRecorded } = readArguments()
const server = await startSoakServer()
const tally = createTally()
const site = { port: server.port, ...readBuild() }
await tryEach(site, tally)
const before = await settle(server, null)
const first = await measure(0, 1)
const afterFirst = await settle(server, before)
const samples = [...first, ...(await measure(1, minutes))]
const after = await settle(server, before)
const exitCode = await server.stop()
const kept = await readKeptFailures(server)
const verdicts: Verdict[] = [
  judgeAnswers(tally),
  judgeHeap(afterFirst, after),
  judgeResident(samples),
  judgeLeftovers(before, after),
  ...judgeFailures(tally, kept),
  { isMet: exitCode === 0, text: `after SIGTERM the server exited with ${exitCode}` },
]
for (const text of [...tally.problems, ...kept.strange]) console.error(text)
const figures = toMarkdown(minutes, verdicts)
console.log(`\n${[figures, minutesTable(minutes, samples), kindsTable(tally)].join('\n\n')}\n`)
for (const verdict of verdicts) console.log(verdictLine(verdict))
const isMet = verdicts.every((verdict) => verdict.isMet)
if (isMet) rmSync(server.folder, { recursive: true })
else console.error(`The log and the ledger are in ${server.folder}`)
if (isMet && isRecorded) record(figures)
process.exitCode = isMet ? 0 : 1

/** Runs the load from minute `from` to minute `to` and takes a sample every ten seconds. */
async function measure(from: number, to: number): Promise<Sample[]> {
  const stopLoad = startLoad(site, tally)
  const begin = performance.now()
  const samples: Sample[] = []
  for (let seconds = from * MINUTE + SAMPLE_SECONDS; seconds <= to * MINUTE; seconds += SAMPLE_SECONDS) {
    await wait(begin + (seconds - from * MINUTE) * 1_000 - performance.now())
    const sample = { seconds, held: await server.look('memory') }
    samples.push(sample)
    console.log(sampleLine(sample))
  }
  await stopLoad()
  return samples
}

/**
 * Returns the server's resources without load: when there are no more than in `known`, or, without `known`, when two
 * samples are equal.
 */
async function settle({ look }: SoakServer, known: Held | null): Promise<Held> {
  const until = performance.now() + SETTLE_MS
  for (let last = known; ; ) {
    const held = await look('objects')
    if ((last && leftovers(last, held).length === 0) || performance.now() > until) return held
    if (!known) last = held
    await wait(CHECK_MS)
  }
}

function readBuild(): { build: string; asset: string } {
  // The cast is safe because `hydrant build` has just written the file.
  const manifest = JSON.parse(readFileSync(join(SITE, '.hydrant/manifest.json'), 'utf8')) as Record<string, unknown>
  return { build: String(manifest.buildId), asset: `/_hydrant/assets/${manifest.entry}` }
}

function record(figures: string) {
  const text = readFileSync(RECORD, 'utf8')
  const at = text.indexOf(RECORD_HEADING)
  if (at === -1) throw new Error(`${RECORD} has no heading "${RECORD_HEADING.trim()}"`)
  writeFileSync(RECORD, `${text.slice(0, at)}${RECORD_HEADING}\n${figures}\n`)
}

function readArguments(): { minutes: number; isRecorded: boolean } {
  const { values } = parseArgs({ options: { minutes: { type: 'string' }, record: { type: 'boolean' } } })
  const minutes = Number(values.minutes ?? 10)
  // The first minute is the warm-up. The last minute is compared with the second.
  if (Number.isInteger(minutes) && minutes >= MIN_MINUTES) return { minutes, isRecorded: values.record === true }
  console.error(`Error: --minutes must be a whole number from ${MIN_MINUTES}; got "${values.minutes}"`)
  process.exit(2)
}
