import { HYDRANT } from '../compare/workspace.ts'
import type { Comparison } from './comparisons.ts'
import { drawGroup, drawSvg, drawText, round } from './svg.ts'
import { show } from './table.ts'

const COLUMNS = 2
const [PANEL_WIDTH, MARGIN, TOP] = [470, 20, 60]
const [LABEL_WIDTH, BAR_WIDTH, BAR_HEIGHT, ROW_HEIGHT] = [130, 250, 13, 19]
const PANEL_TOP = 30

/** Draws the figures of all servers as bars, one panel for each figure. */
export function drawBars(comparisons: readonly Comparison[], source: string): string {
  const rows = Math.max(...comparisons.map(({ values }) => values.size))
  const panelHeight = PANEL_TOP + rows * ROW_HEIGHT + 20
  const panels = comparisons.map((comparison, index) => {
    const x = MARGIN + (index % COLUMNS) * PANEL_WIDTH
    return drawGroup(x, TOP + Math.floor(index / COLUMNS) * panelHeight, drawPanel(comparison))
  })
  return drawSvg({
    width: 2 * MARGIN + COLUMNS * PANEL_WIDTH,
    height: TOP + Math.ceil(comparisons.length / COLUMNS) * panelHeight + MARGIN,
    title: 'Hydrant next to other servers',
    description: comparisons.map(describe).join(' '),
    body: [
      drawText(MARGIN, 28, 'Hydrant next to other servers', 'title'),
      drawText(MARGIN, 46, source, 'note'),
      ...panels,
    ],
  })
}

function drawPanel({ title, unit, isMoreBetter, values }: Comparison): string[] {
  const most = Math.max(...values.values())
  const sorted = [...values].sort(([, a], [, b]) => (isMoreBetter ? b - a : a - b))
  const bars = sorted.map(([name, value], row) => {
    const y = PANEL_TOP + row * ROW_HEIGHT
    const width = round(Math.max((value / most) * BAR_WIDTH, 1))
    const kind = name === HYDRANT ? 'own' : 'other'
    return [
      drawText(LABEL_WIDTH - 8, y + 11, name, name === HYDRANT ? 'panel' : '', 'end'),
      `<rect class="${kind}" x="${LABEL_WIDTH}" y="${y}" width="${width}" height="${BAR_HEIGHT}" rx="2"/>`,
      drawText(LABEL_WIDTH + width + 6, y + 11, show(value), 'note'),
    ].join('\n')
  })
  return [drawText(0, 14, `${title}, ${unit} (${isMoreBetter ? 'more' : 'less'} is better)`, 'panel'), ...bars]
}

function describe({ title, unit, values }: Comparison): string {
  return `${title} in ${unit}: ${[...values].map(([name, value]) => `${name} ${show(value)}`).join(', ')}.`
}
