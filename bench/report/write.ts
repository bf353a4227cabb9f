import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchRecord, readRecord, recordFile } from '../record.ts'
import { drawBars } from './bars.ts'
import { compareServers } from './comparisons.ts'
import { drawGrowth } from './lines.ts'
import { toMarkdown } from './markdown.ts'

/** Writes the tables and the plots of a record next to it. */
export function writeReport(out: string, name: string) {
  const record = readRecord(recordFile(out, name))
  const plots = drawPlots(record, name)
  for (const { file, svg } of plots) writeFileSync(join(out, file), svg)
  writeFileSync(join(out, `${name}.md`), toMarkdown(record, plots))
}

/** Returns the plots for which the record has figures. */
function drawPlots(record: BenchRecord, name: string): { title: string; file: string; svg: string }[] {
  const { speed, growth } = record.parts
  const comparisons = compareServers(record)
  const plots: { title: string; file: string; svg: string }[] = []
  if (comparisons.length > 0) {
    const source = speed ? sourceOf(speed.started, speed.commit, speed.machine) : ''
    plots.push({ title: 'Hydrant next to other servers', file: `${name}.svg`, svg: drawBars(comparisons, source) })
  }
  if (growth && growth.figures.sizes.length > 0) {
    const svg = drawGrowth(growth.figures.sizes, sourceOf(growth.started, growth.commit, growth.machine))
    plots.push({ title: 'Hydrant by the number of pages', file: `${name}-growth.svg`, svg })
  }
  return plots
}

function sourceOf(started: string, commit: string, { cpu, cores, node }: { cpu: string; cores: number; node: string }) {
  return `${started.slice(0, 10)}, commit ${commit}, Node.js ${node}, ${cores} cores of ${cpu}`
}
