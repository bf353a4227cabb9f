import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { KINDS, type Kind } from './kinds.ts'
import { GROUP, type Size } from './sources.ts'

export interface Arguments {
  sizes: readonly Size[]
  kinds: readonly Kind[]
  /** The number of measured edits of each kind. */
  edits: number
  /** The number of starts without and with caches. */
  starts: number
  /** The number of saves after which memory is measured; 0 leaves this out. */
  saves: number
  withVite: boolean
  /** The folder for the apps and for the installed packages, which are kept. */
  work: string
  /** The file for the report besides the standard output, or null. */
  out: string | null
  /** The browser's program, or null for the one that the tests use. */
  chromium: string | null
}

/** Throws an error with a message for the user if an argument cannot be read. */
export function readArguments(args: readonly string[]): Arguments {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ components: text, pages: text, shown: text, edits: text, kinds: text, starts: text, saves: text },
      ...{ work: text, out: text, chromium: text, 'no-vite': { type: 'boolean' } },
    },
  })
  const components = listOf('components', values.components ?? '100', GROUP)
  const pages = listOf('pages', values.pages ?? '10', 1)
  const shown = multiple('shown', values.shown ?? '100', GROUP)
  return {
    sizes: components.flatMap((components) => pages.map((pages) => ({ components, pages, shown }))),
    kinds: values.kinds === undefined ? KINDS : values.kinds.split(',').map(findKind),
    edits: count('edits', values.edits ?? '20', 1),
    starts: count('starts', values.starts ?? '3', 1),
    saves: count('saves', values.saves ?? '0', 0),
    withVite: values['no-vite'] !== true,
    work: values.work ?? join(tmpdir(), 'hydrant-bench-edit'),
    out: values.out ?? null,
    chromium: values.chromium ?? null,
  }
}

function listOf(name: string, value: string, unit: number): number[] {
  return value.split(',').map((item) => multiple(name, item, unit))
}

function multiple(name: string, value: string, unit: number): number {
  const number = count(name, value, unit)
  if (number % unit !== 0) throw new Error(`--${name} must be a multiple of ${unit}; got "${value}"`)
  return number
}

function count(name: string, value: string, least: number): number {
  const number = Number(value)
  if (Number.isInteger(number) && number >= least) return number
  throw new Error(`--${name} must be a whole number from ${least}; got "${value}"`)
}

function findKind(name: string): Kind {
  const kind = KINDS.find((kind) => kind.name === name)
  if (kind) return kind
  throw new Error(`--kinds must be some of ${KINDS.map(({ name }) => name).join(', ')}; got "${name}"`)
}
