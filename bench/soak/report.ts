import { availableParallelism, totalmem } from 'node:os'
import type { Held } from './server.ts'
import type { Tally } from './tally.ts'
import { descriptorsOf, heapOf, megabytes, minuteOf, residentOf, type Sample, type Verdict } from './verdict.ts'

export function verdictLine({ isMet, text }: Verdict): string {
  return `${isMet ? 'met' : 'NOT MET'}: ${text}`
}

export function sampleLine({ seconds, held }: Sample): string {
  const { resources } = held
  const parts = [
    `${seconds} s`.padStart(6),
    `heap ${megabytes(heapOf(held))} MB`,
    `resident ${megabytes(residentOf(held))} MB`,
    `${descriptorsOf(held)} descriptors`,
    `${resources.TCPSocketWrap ?? 0} sockets`,
    `${resources.Timeout ?? 0} timers`,
  ]
  return parts.join('  ')
}

/** Formats the figures of a run for the documentation. */
export function toMarkdown(minutes: number, samples: readonly Sample[], tally: Tally, verdicts: readonly Verdict[]) {
  const memory = Math.round(totalmem() / 2 ** 30)
  const [major] = process.versions.node.split('.')
  return [
    `${new Date().toISOString().slice(0, 10)}, \`npm run soak -- --minutes ${minutes}\`, Node.js ${major} (${process.version}), ${process.platform} ${process.arch}, ${availableParallelism()} cores shared with other work, ${memory} GB:`,
    verdicts.map((verdict) => `- ${verdictLine(verdict)}`).join('\n'),
    table(
      ['minute', 'heap in use, MB', 'resident memory, MB', 'descriptors', 'sockets', 'timers'],
      Array.from({ length: minutes }, (_, index) => minuteRow(index + 1, samples)),
    ),
    table(
      ['request', 'whole', 'refused', 'aborted', 'wrong'],
      [...tally.rows].map(([name, { whole, refused, left, wrong }]) => [name, whole, refused, left, wrong]),
    ),
  ].join('\n\n')
}

/** Formats the minimum and maximum of each figure in one minute. */
function minuteRow(minute: number, samples: readonly Sample[]): (string | number)[] {
  const own = samples.filter((sample) => minuteOf(sample) === minute)
  const range = (read: (held: Held) => number, show: (value: number) => string) => {
    const values = own.map(({ held }) => read(held))
    return `${show(Math.min(...values))} to ${show(Math.max(...values))}`
  }
  return [
    minute,
    range(heapOf, megabytes),
    range(residentOf, megabytes),
    range(descriptorsOf, String),
    range(({ resources }) => resources.TCPSocketWrap ?? 0, String),
    range(({ resources }) => resources.Timeout ?? 0, String),
  ]
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}
