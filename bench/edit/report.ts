import { spread } from '../statistics.ts'
import { BATCH } from './kinds.ts'
import type { Measured } from './measure-size.ts'
import type { Result, Start } from './session.ts'
import type { Size } from './sources.ts'

const NONE = '–'

export interface Report {
  versions: readonly string[]
  sizes: readonly { size: Size; measured: readonly Measured[] }[]
}

/** Returns the figures as Markdown tables. */
export function toMarkdown({ versions, sizes }: Report): string {
  const tables = [editTable(sizes), startTable(sizes), batchTable(sizes), memoryTable(sizes)]
  return [versions.join(', '), ...tables.filter((table) => table !== null)].join('\n\n')
}

type Sizes = Report['sizes']

function editTable(sizes: Sizes): string | null {
  const rows = sizes.flatMap(({ size, measured: [hydrant, vite] }) =>
    [...(hydrant?.results ?? [])].map(([kind, own]) => {
      const theirs = vite?.results.get(kind) ?? null
      return [
        ...[size.components, size.pages, kind.title],
        ...[times(own), times(theirs), ratios(own, theirs)],
        ...[kept(own), kept(theirs), reloaded(own), reloaded(theirs)],
      ]
    }),
  )
  const head = ['components', 'pages', 'edit of', 'Hydrant, ms', 'Vite, ms', 'Hydrant / Vite']
  return table([...head, 'Hydrant keeps state', 'Vite keeps state', 'Hydrant reloads', 'Vite reloads'], rows)
}

function startTable(sizes: Sizes): string | null {
  const rows = sizes.flatMap(({ size, measured: [hydrant, vite] }) =>
    (['first', 'second'] as const).flatMap((which) =>
      (['answered', 'painted', 'interactive'] as const).map((point) => {
        const [own, theirs] = [hydrant, vite].map((measured) => measured?.[which].map((start: Start) => start[point]))
        return [
          ...[size.components, size.pages, which, point],
          ...[own, theirs].map((values) => (values?.length ? spread(values, whole) : NONE)),
          own?.length && theirs?.length ? pairRatios(own, theirs) : NONE,
        ]
      }),
    ),
  )
  const head = ['components', 'pages', 'start', 'until the first page is', 'Hydrant, ms', 'Vite, ms', 'Hydrant / Vite']
  return table(head, rows)
}

function batchTable(sizes: Sizes): string | null {
  const rows = sizes.flatMap(({ size, measured }) =>
    measured.flatMap(({ subject: { name }, results }) =>
      [...results]
        .filter(([kind]) => kind.name === BATCH)
        .map(([, own]) => {
          const updates = own.map(({ updates }) => updates)
          const reloads = own.map(({ reloads }) => reloads)
          return [size.components, size.pages, name, range(updates), range(reloads)]
        }),
    ),
  )
  return table(['components', 'pages', 'server', 'updates for ten files', 'reloads for ten files'], rows)
}

function memoryTable(sizes: Sizes): string | null {
  const columns = sizes.flatMap(({ size, measured }) =>
    measured.map(({ subject: { name }, memory }) => ({
      title: `${name}, ${size.components} components, ${size.pages} pages`,
      memory,
    })),
  )
  const looks = columns[0]?.memory ?? []
  const rows = looks.map(({ saves }, index) => [
    saves,
    ...columns.map(({ memory }) => whole(memory[index]?.residentMb ?? Number.NaN)),
  ])
  return table(['saves', ...columns.map(({ title }) => `${title}, MB`)], rows)
}

function times(results: readonly Result[] | null): string {
  if (!results) return NONE
  const shown = results.flatMap(({ ms }) => ms ?? [])
  const missed = shown.length < results.length ? `shown ${shown.length}/${results.length}` : ''
  return [shown.length > 0 ? spread(shown, whole) : '', missed].filter((part) => part !== '').join(', ')
}

/** Compares the results of each turn. */
function ratios(own: readonly Result[], theirs: readonly Result[] | null): string {
  const pairs = own.flatMap(({ ms }, turn) => {
    const other = theirs?.[turn]?.ms ?? null
    return ms === null || other === null ? [] : [[ms, other] as const]
  })
  if (pairs.length === 0) return NONE
  return pairRatios(
    pairs.map(([ms]) => ms),
    pairs.map(([, other]) => other),
  )
}

function pairRatios(own: readonly number[], theirs: readonly number[]): string {
  return `× ${spread(
    own.map((ms, index) => ms / (theirs[index] ?? Number.NaN)),
    (value) => value.toFixed(2),
  )}`
}

function kept(results: readonly Result[] | null): string {
  if (!results || results.some(({ isKept }) => isKept === null)) return NONE
  return `${results.filter(({ isKept }) => isKept).length}/${results.length}`
}

function reloaded(results: readonly Result[] | null): string {
  if (!results) return NONE
  return `${results.filter(({ reloads }) => reloads > 0).length}/${results.length}`
}

function range(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return least === most ? String(most) : `${least} to ${most}`
}

function whole(value: number): string {
  return value.toFixed(0)
}

/** Returns null for a table without rows. */
function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string | null {
  if (rows.length === 0) return null
  const lines = [head, head.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
