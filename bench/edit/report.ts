import { NONE, table } from '../report/table.ts'
import { spread } from '../statistics.ts'
import type { Kind } from './kinds.ts'
import type { Result } from './session.ts'
import type { Size } from './sources.ts'
import type { Subject } from './subjects.ts'

export interface Measured {
  size: Size
  kind: Kind
  results: ReadonlyMap<Subject['name'], readonly Result[]>
}

const HEAD = [
  ...['components', 'pages', 'edit of', 'Hydrant, ms', 'Vite, ms', 'Hydrant / Vite'],
  ...['Hydrant keeps state', 'Vite keeps state', 'Hydrant reloads', 'Vite reloads'],
]

/** Returns the figures as a Markdown table. */
export function toMarkdown(measured: readonly Measured[]): string {
  const rows = measured.map(({ size, kind, results }) => {
    const [own, theirs] = [results.get('Hydrant'), results.get('Vite')]
    return [
      ...[String(size.components), String(size.pages), kind.title],
      ...[times(own), times(theirs), ratios(own, theirs)],
      ...[count(own, ({ isKept }) => isKept), count(theirs, ({ isKept }) => isKept)],
      ...[count(own, ({ reloads }) => reloads > 0), count(theirs, ({ reloads }) => reloads > 0)],
    ]
  })
  return table(HEAD, rows)
}

function times(results?: readonly Result[]): string {
  if (!results) return NONE
  const shown = results.flatMap(({ ms }) => ms ?? [])
  const missed = shown.length < results.length ? `shown ${shown.length}/${results.length}` : ''
  const times = shown.length > 0 ? spread(shown, (ms) => ms.toFixed(0)) : ''
  return [times, missed].filter((part) => part !== '').join(', ')
}

/** Compares the results of each turn. */
function ratios(own: readonly Result[] = [], theirs: readonly Result[] = []): string {
  const ratios = own.flatMap(({ ms }, turn) => {
    const other = theirs[turn]?.ms ?? null
    return ms === null || other === null ? [] : [ms / other]
  })
  return ratios.length === 0 ? NONE : `× ${spread(ratios, (value) => value.toFixed(2))}`
}

function count(results: readonly Result[] | undefined, has: (result: Result) => boolean): string {
  return results ? `${results.filter(has).length}/${results.length}` : NONE
}
