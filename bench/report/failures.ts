import type { FailureFigures } from '../failures/measure.ts'
import { median, spread } from '../statistics.ts'
import { show, table } from './table.ts'

const ratio = (value: number) => value.toFixed(2)

export function toFailureTables(figures: FailureFigures): string {
  const { shares, byHand, ledger, storm } = figures
  const rows = shares.map(({ page, part, headers, ratios }) => [
    `\`${page.replace(/[?&]$/, '')}\``,
    ...[PART_NAMES[part] ?? part, headers, spread(ratios, ratio)],
  ])
  const [before, most, after] = storm.memoryMb
  return [
    table(['page', 'fails in', 'headers', 'share of the working page'], rows),
    `A failing component costs as much as ${spread(byHand.own, ratio)} working pages; written by hand, ${spread(byHand.byHand, ratio)}.`,
    `${sayStorm(figures)} Memory: ${before} MB before, at most ${most} MB during, ${after} MB after it.`,
    `The ledger has ${show(ledger.failures)} failures with ${show(ledger.occurrences)} occurrences; the log has ${show(ledger.logged)} lines of failures.`,
  ].join('\n\n')
}

const PART_NAMES: Readonly<Record<string, string>> = { load: 'load', render: 'component' }

function sayStorm({ storm: { requests, seconds, nextToFailing, nextToWorking } }: FailureFigures): string {
  const [failing, working] = [median(nextToFailing), median(nextToWorking)]
  return `While ${show(requests)} other requests fail in ${seconds} seconds, working pages reach ${ratio(failing)} of the rate that they have without other requests. While as many other requests succeed, they reach ${ratio(working)} of it. The first of these two rates is ${ratio(failing / working)} of the second.`
}
