// Minutes of mixed load, and what is left of them: `npm run soak [-- --minutes 10] [--record]`.
//
// A server as `hydrant start` runs it answers visitors who read, write, fail, leave, and are slow. Each answer has to be
// whole or a clean refusal, memory must not grow, and when all have gone nothing of them may be left. `--record` writes
// the figures to docs/soak.md.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readKeptFailures } from './soak/kept-failures.ts'
import { startLoad, tryEach } from './soak/load.ts'
import { sampleLine, toMarkdown, verdictLine } from './soak/report.ts'
import { type Held, ROOT, SITE, type SoakServer, startSoakServer } from './soak/server.ts'
import { createTally } from './soak/tally.ts'
import {
  judgeAnswers,
  judgeFailures,
  judgeHeap,
  judgeLeftovers,
  judgeResident,
  leftovers,
  MINUTE,
  type Sample,
  type Verdict,
} from './soak/verdict.ts'

const MIN_MINUTES = 3
const SAMPLE_SECONDS = 10
/** How long what is left of a load may take to go: longer than any deadline. */
const SETTLE_MS = 30_000
const CHECK_MS = 500
const RECORD = join(ROOT, 'docs/soak.md')
const RECORD_HEADING = '## Last figures\n'

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
  { isMet: exitCode === 0, text: `told to stop, the server ended with ${exitCode}` },
]
for (const text of [...tally.problems, ...kept.strange]) console.error(text)
const figures = toMarkdown(minutes, samples, tally, verdicts)
console.log(`\n${figures}\n`)
for (const verdict of verdicts) console.log(verdictLine(verdict))
const isMet = verdicts.every((verdict) => verdict.isMet)
if (isMet) rmSync(server.folder, { recursive: true })
else console.error(`The log and the ledger are in ${server.folder}`)
if (isMet && isRecorded) record(figures)
process.exitCode = isMet ? 0 : 1

/** Lets visitors come from one minute to another, and looks every ten seconds. */
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

/** What the server holds when nobody asks it any more: no more than was known, or else the same twice. */
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
  // `hydrant build` has just written it.
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
  // The first warms up, the second is what the last one is compared with.
  if (Number.isInteger(minutes) && minutes >= MIN_MINUTES) return { minutes, isRecorded: values.record === true }
  console.error(`Error: --minutes must be a whole number from ${MIN_MINUTES}; got "${values.minutes}"`)
  process.exit(2)
}
