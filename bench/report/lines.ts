import type { SizeFigures } from '../growth/figures.ts'
import { labelOf, METRICS, type Metric, workersOf } from './growth.ts'
import { drawGroup, drawLine, drawSvg, drawText, round } from './svg.ts'
import { show } from './table.ts'

const COLUMNS = 3
const [PANEL_WIDTH, PANEL_HEIGHT, MARGIN, TOP] = [310, 200, 20, 70]
const [PLOT_LEFT, PLOT_TOP, PLOT_WIDTH, PLOT_HEIGHT] = [58, 28, 225, 120]
/** A larger growth is drawn on a logarithmic axis. */
const MOST_LINEAR = 4

type Point = readonly [x: number, y: number]

interface Scale {
  x: (pages: number) => number
  y: (value: number) => number
  ticks: readonly number[]
}

/** Draws each figure over the number of pages, with a line for each number of processes. */
export function drawGrowth(sizes: readonly SizeFigures[], source: string): string {
  const panels = METRICS.map((metric, index) => {
    const y = TOP + Math.floor(index / COLUMNS) * PANEL_HEIGHT
    return drawGroup(MARGIN + (index % COLUMNS) * PANEL_WIDTH, y, drawPanel(metric, sizes))
  })
  const title = 'Hydrant by the number of pages'
  return drawSvg({
    width: 2 * MARGIN + COLUMNS * PANEL_WIDTH,
    height: TOP + Math.ceil(METRICS.length / COLUMNS) * PANEL_HEIGHT,
    title,
    description: METRICS.map((metric) => describe(metric, sizes)).join(' '),
    body: [drawText(MARGIN, 28, title, 'title'), drawText(MARGIN, 46, source, 'note'), ...drawLegend(sizes), ...panels],
  })
}

function drawLegend(sizes: readonly SizeFigures[]): string[] {
  return workersOf(sizes).map((workers, index) => {
    const x = 640 + index * 140
    return `${drawLine(`${kindOf(workers)}-line`, [x, 42], [x + 28, 42])}\n${drawText(x + 34, 46, labelOf(workers))}`
  })
}

function drawPanel(metric: Metric, sizes: readonly SizeFigures[]): string[] {
  const lines = linesOf(metric, sizes)
  const values = lines.flatMap(({ points }) => points.map(([, value]) => value))
  if (values.length === 0) return []
  const scale = createScale(metric, sizes, values)
  const bottom = PLOT_TOP + PLOT_HEIGHT
  return [
    drawText(0, 14, `${metric.title}, ${metric.unit}`, 'panel'),
    ...scale.ticks.flatMap((tick) => [
      drawLine('grid', [PLOT_LEFT, scale.y(tick)], [PLOT_LEFT + PLOT_WIDTH, scale.y(tick)]),
      drawText(PLOT_LEFT - 6, scale.y(tick) + 4, show(tick), 'note', 'end'),
    ]),
    drawLine('axis', [PLOT_LEFT, bottom], [PLOT_LEFT + PLOT_WIDTH, bottom]),
    ...sizes.map(({ pages }) => drawText(scale.x(pages), bottom + 16, show(pages), 'note', 'middle')),
    ...lines.flatMap(({ workers, points }) => {
      const places = points.map(([pages, value]): Point => [round(scale.x(pages)), round(scale.y(value))])
      const dots = places.map(
        ([x, y]) => `<circle class="${kindOf(workers)}${workers === 1 ? '' : '-dot'}" cx="${x}" cy="${y}" r="3"/>`,
      )
      return [
        `<polyline class="${kindOf(workers)}-line" points="${places.map((place) => place.join(',')).join(' ')}"/>`,
        ...dots,
      ]
    }),
  ]
}

function linesOf({ read, mayGrow }: Metric, sizes: readonly SizeFigures[]) {
  return workersOf(sizes)
    .filter((workers) => workers === 1 || !mayGrow)
    .map((workers) => ({
      workers,
      points: sizes.flatMap((size): Point[] => {
        const value = read(size, workers)
        return value === undefined ? [] : [[size.pages, value]]
      }),
    }))
}

/** The axis of pages is logarithmic. The other axis is too for figures that grow much; else it begins at 0. */
function createScale({ mayGrow }: Metric, sizes: readonly SizeFigures[], values: readonly number[]): Scale {
  const [first, last] = [sizes[0]?.pages ?? 1, sizes.at(-1)?.pages ?? 1]
  const most = Math.max(...values)
  const isLogarithmic = mayGrow && most / Math.min(...values) > MOST_LINEAR
  const least = isLogarithmic ? Math.min(...values) : 0
  const share = (value: number, low: number, high: number) => (high === low ? 1 : (value - low) / (high - low))
  const convert = isLogarithmic ? Math.log : (value: number) => value
  return {
    x: (pages) => PLOT_LEFT + 12 + share(Math.log(pages), Math.log(first), Math.log(last)) * (PLOT_WIDTH - 24),
    y: (value) => PLOT_TOP + PLOT_HEIGHT - share(convert(value), convert(least), convert(most)) * PLOT_HEIGHT,
    ticks: isLogarithmic ? [least, Math.sqrt(least * most), most] : [most / 2, most],
  }
}

function kindOf(workers: number): 'own' | 'other' {
  return workers === 1 ? 'own' : 'other'
}

function describe(metric: Metric, sizes: readonly SizeFigures[]): string {
  const lines = linesOf(metric, sizes).map(({ workers, points }) => {
    const list = points.map(([pages, value]) => `${show(value)} with ${show(pages)} pages`)
    return `${labelOf(workers)}: ${list.join(', ')}`
  })
  return `${metric.title} in ${metric.unit}, ${lines.join('; ')}.`
}
