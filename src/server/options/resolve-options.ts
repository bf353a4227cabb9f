import { createHydrantError, showValue } from '../errors/hydrant-error.ts'
import { closestMatch, isMisspelling } from '../util/closest-match.ts'
import { joinAdmin } from './admin-address.ts'
import type { Config, ServerOptions } from './config.ts'
import { createInvalidOption } from './invalid-option.ts'
import type { OptionName, Options, OptionValue } from './options.ts'
import type { OptionRule } from './rule-kinds.ts'
import { rules, SCOPES, type Scope } from './rules.ts'

/**
 * Where options come from. In the order of precedence, highest first: `flags`, `env`, `given`, `config`, `defaults`.
 */
export interface OptionSources {
  /** The text of each flag on the command line; undefined for a flag that is not set. */
  flags?: Record<string, string | undefined>
  env?: Record<string, string | undefined>
  /** The site's `hydrant.config.ts`. It may contain every option, in each scope. */
  config?: Record<string, unknown>
  /** Options that are given in code. They must belong to the scope. */
  given?: Record<string, unknown>
  /** A site in an app that Hydrant does not own ('site'), a server ('server'), or `hydrant start` ('start'). */
  scope?: Scope
  /** Defaults that replace those of the rules. */
  defaults?: { readonly [Name in OptionName]?: OptionValue<Name> }
}

// The type of `rules` has no other keys.
const NAMES = Object.keys(rules) as OptionName[]
/** Options that contain options. */
const GROUPS = new Set(groupsOf(NAMES))
/** Options that can be switched on and off as a whole, and contain options. */
const SWITCHES: ReadonlySet<string> = new Set(NAMES.filter((name) => GROUPS.has(name)))
const VARIABLES = NAMES.filter((name) => !rules[name].isCode).map(variableOf)
/** Options that only the build or the dev server reads. */
const BUILD_OPTIONS = Object.keys({ esbuild: true, reactCompiler: true, strictMode: true } satisfies Record<
  Exclude<keyof Config, keyof ServerOptions>,
  true
>)

/**
 * Checks all options and adds the defaults. Throws HYD_OPTION_UNKNOWN for an unknown name, with the closest known one,
 * and HYD_OPTION_INVALID for an invalid value.
 */
export function resolveOptions(sources: OptionSources): Options {
  const { flags = {}, env = {}, scope = 'start', defaults = {} } = sources
  const config = flatten(sources.config ?? {})
  const given = flatten(sources.given ?? {})
  const inScope = NAMES.filter((name) => SCOPES.indexOf(rules[name].scope) <= SCOPES.indexOf(scope))
  requireKnown(Object.keys(config), [...NAMES, ...GROUPS, ...BUILD_OPTIONS])
  requireKnown(Object.keys(given), [...inScope, ...groupsOf(inScope)])
  requireKnown(Object.keys(flags), NAMES)
  const variables = Object.keys(env).filter(isMeantForHydrant)
  requireKnown(variables, VARIABLES)
  const values = { ...config, ...given }
  return nest((name) => {
    const fallback = defaults[name] ?? rules[name].fallback
    return inScope.includes(name) ? resolveOption(name, rules[name], fallback, { flags, env, values }) : fallback
  })
}

/** Whether a variable has Hydrant's prefix, or a misspelling of it before the name of an option: `HYDRNAT_BASE`. */
function isMeantForHydrant(variable: string): boolean {
  const [prefix = ''] = variable.split('_', 1)
  if (prefix === 'HYDRANT') return variable.includes('_')
  return isMisspelling(prefix, 'HYDRANT') && VARIABLES.includes(`HYDRANT${variable.slice(prefix.length)}`)
}

function groupsOf(names: readonly string[]): string[] {
  return names.filter((name) => name.includes('.')).map((name) => name.slice(0, name.indexOf('.')))
}

/** `timeouts.loadMs` is `HYDRANT_TIMEOUTS_LOAD_MS`. */
function variableOf(name: string): string {
  return `HYDRANT_${name.replace(/[A-Z]/g, '_$&').replace('.', '_').toUpperCase()}`
}

/** What was given for the options, by their full names or variables. */
interface GivenValues extends Required<Pick<OptionSources, 'flags' | 'env'>> {
  /** The values of the configuration and the code. */
  values: Record<string, unknown>
}

function resolveOption<Value>(
  name: string,
  rule: OptionRule<Value>,
  fallback: Value,
  { flags, env, values }: GivenValues,
): Value {
  const variable = variableOf(name)
  const typed: [string, string | undefined][] = [
    [`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, flags[name]],
    [variable, env[variable]],
    [rule.env ?? variable, env[rule.env ?? variable]],
  ]
  for (const [source, text] of typed) {
    if (text === undefined || text === '') continue
    const value = rule.parse(text)
    if (value === undefined || !rule.accepts(value)) throw createInvalid(source, rule, text)
    return value
  }
  const value = values[name]
  if (value === undefined) return fallback
  if (!rule.accepts(value)) throw createInvalid(name, rule, value)
  return value
}

function createInvalid(source: string, rule: OptionRule<unknown>, value: unknown) {
  const shown = rule.isSecret || hasPassword(value) ? 'a secret value' : showValue(value)
  return createInvalidOption(source, rule.expected, shown)
}

/** Whether the value is a URL with a password. */
const hasPassword = (value: unknown) => typeof value === 'string' && /:\/\/[^/]*:.*@/.test(value)

function requireKnown(names: readonly string[], known: readonly string[]) {
  for (const name of names) {
    if (known.includes(name)) continue
    const closest = closestMatch(name, known)
    throw createHydrantError('HYD_OPTION_UNKNOWN', [name, closest ? `; did you mean "${closest}"?` : ''])
  }
}

/**
 * Names the options inside groups by their full names: `{ timeouts: { loadMs: 1 } }` becomes `{ 'timeouts.loadMs': 1
 * }`.
 */
function flatten(config: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(config).flatMap(([name, value]): [string, unknown][] => {
    const isSwitch = SWITCHES.has(name)
    if (!GROUPS.has(name) || (isSwitch && typeof value === 'boolean')) return [[name, value]]
    if (value === undefined) return []
    if (typeof value !== 'object' || value === null) {
      const expected = isSwitch ? 'an object, true or false' : 'an object'
      throw createHydrantError('HYD_OPTION_INVALID', [name, expected, showValue(value)])
    }
    return Object.entries(value).map(([part, inner]) => [`${name}.${part}`, inner])
  })
  return Object.fromEntries(entries)
}

/** Puts each option into its group. */
function nest(resolve: <Name extends OptionName>(name: Name) => OptionValue<Name>): Options {
  const options: Record<string, unknown> = {}
  for (const group of GROUPS) {
    const names = NAMES.filter((name) => name.startsWith(`${group}.`))
    options[group] = Object.fromEntries(names.map((name) => [name.slice(group.length + 1), resolve(name)]))
  }
  for (const name of NAMES) if (!name.includes('.')) options[name] = resolve(name)
  options.admin = joinAdmin(resolve('admin'), {
    host: resolve('admin.host'),
    port: resolve('admin.port'),
    token: resolve('admin.token'),
    readToken: resolve('admin.readToken'),
  })
  // The type of `rules` has a rule for each option, and each rule accepts only values of its option's type.
  return options as Options
}
