import type { Options } from '../../src/server/options/options.ts'
import { rules } from '../../src/server/options/rules.ts'
import { placeOf } from '../../src/server/postgres/database-url.ts'
import type { EsbuildSettings } from '../build/bundles/esbuild-options.ts'

/** Lists the options that differ from their defaults. Shows no secrets: no keys, no tokens, no passwords of URLs. */
export function describeOptions(options: Options): Record<string, string> {
  const shown = Object.entries(rules).flatMap(([name, { fallback, isSecret = false }]): [string, string][] => {
    const value = readOption(options, name)
    // `admin` is a group here when it is on, which is the default.
    const isDefault = value === undefined || value === '' || JSON.stringify(value) === JSON.stringify(fallback)
    const isFunction = typeof value === 'function'
    if (isFunction) return [[name, '(a function)']]
    if (isDefault || (name === 'admin' && value !== false)) return []
    return [[name, isSecret ? '(set)' : showValue(value)]]
  })
  return Object.fromEntries(shown)
}

/** Lists the options of esbuild. Values of `define` may be secrets, so only their number is shown. */
export function describeEsbuild({ plugins, loader, define, alias }: EsbuildSettings): Record<string, string> {
  const texts = {
    'esbuild.plugins': plugins.map(({ name }) => name),
    'esbuild.loader': Object.entries(loader).map(([extension, name]) => `${extension}=${name}`),
    'esbuild.define': Object.keys(define).length > 0 ? [`(${Object.keys(define).length} set)`] : [],
    'esbuild.alias': Object.keys(alias),
  }
  const used = Object.entries(texts).filter(([, values]) => values.length > 0)
  return Object.fromEntries(used.map(([name, values]) => [name, values.join(', ')]))
}

function readOption(options: Options, name: string): unknown {
  const [group = '', part] = name.split('.')
  const value: unknown = Reflect.get(options, group)
  if (part === undefined) return value
  return typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined
}

function showValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(showValue).join(', ')
  return typeof value === 'string' && value.includes('://') ? placeOf(value) : String(value)
}
