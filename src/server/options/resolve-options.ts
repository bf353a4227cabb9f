import { createHydrantError, showValue } from '../errors/hydrant-error.ts'
import { hintAtClosest, isMisspelling } from '../util/closest-match.ts'
import type { Config, ServerOptions } from './config.ts'
import { createInvalidOption, joinAdmin, type OptionName, type Options, type OptionValue } from './options.ts'
import { type OptionRule, rules, SCOPES, type Scope } from './rules.ts'

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
export const BUILD_OPTIONS = Object.keys({ esbuild: true, reactCompiler: true, strictMode: true } satisfies Record<
  Exclude<keyof Config, keyof ServerOptions>,
  true
>)

/**
 * Checks all options and adds the defaults. Throws HYD_OPTION_UNKNOWN for an unknown name, with the closest known one,
 * and HYD_OPTION_INVALID for an invalid value.
 */
export function resolveOptions(sources: OptionSources): Options {
  const { flags = {}, scope = 'start', defaults = {} } = sources
  const env = withoutServiceLinks(sources.env ?? {})
  const config = flatten(sources.config ?? {})
  const given = flatten(sources.given ?? {})
  const inScope = NAMES.filter((name) => SCOPES.indexOf(rules[name].scope) <= SCOPES.indexOf(scope))
  requireKnown(Object.keys(config), [...NAMES, ...GROUPS, ...BUILD_OPTIONS])
  requireKnown(Object.keys(given), [...inScope, ...groupsOf(inScope)])
  requireKnown(Object.keys(flags), NAMES)
  const variables = Object.keys(env).filter(isMeantForHydrant)
  requireKnown(variables, VARIABLES)
  return nest((name) => {
    const fallback = defaults[name] ?? rules[name].fallback
    return inScope.includes(name) ? resolveOption(name, rules[name], fallback, { flags, env, config, given }) : fallback
  })
}

const IP_ADDRESS = String.raw`(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-fA-F:.]*:[\da-fA-F:.]*)`
const LINK = String.raw`(?:tcp|udp|sctp):\/\/\[?${IP_ADDRESS}\]?:\d+`
/** What Kubernetes sets for each service of a namespace, and Docker for each link: the ends of names, with their values. */
const SERVICE_LINKS = [
  ['_SERVICE_HOST', IP_ADDRESS],
  ['_SERVICE_PORT(?:_\\w+)?', '\\d+'],
  ['_PORT(?:_\\d+_(?:TCP|UDP|SCTP))?', LINK],
  ['_PORT_\\d+_(?:TCP|UDP|SCTP)_PROTO', 'tcp|udp|sctp'],
  ['_PORT_\\d+_(?:TCP|UDP|SCTP)_PORT', '\\d+'],
  ['_PORT_\\d+_(?:TCP|UDP|SCTP)_ADDR', IP_ADDRESS],
  ['_NAME', '\\/[\\w.-]+\\/[\\w.-]+'],
  // The environment of the linked container.
  ['_ENV_\\w+', '[^]*'],
].map(([end, value]) => ({ name: new RegExp(`\\w${end}$`), value: new RegExp(`^(?:${value})$`) }))

/**
 * Leaves out the variables of Kubernetes and Docker for a service: one with the name `hydrant-admin` sets
 * `HYDRANT_ADMIN_SERVICE_HOST` and `HYDRANT_ADMIN_PORT=tcp://…`. No option accepts such a value.
 */
export function withoutServiceLinks(env: Record<string, string | undefined>): Record<string, string | undefined> {
  const isLink = (variable: string, text = '') =>
    isMeantForHydrant(variable) && SERVICE_LINKS.some(({ name, value }) => name.test(variable) && value.test(text))
  return Object.fromEntries(Object.entries(env).filter(([variable, text]) => !isLink(variable, text)))
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
export function variableOf(name: string): string {
  return `HYDRANT_${name.replace(/[A-Z]/g, '_$&').replace('.', '_').toUpperCase()}`
}

/** What was given for the options, by their full names or variables. */
interface GivenValues extends Required<Pick<OptionSources, 'flags' | 'env'>> {
  config: Record<string, unknown>
  given: Record<string, unknown>
}

function resolveOption<Value>(
  name: string,
  rule: OptionRule<Value>,
  fallback: Value,
  { flags, env, config, given }: GivenValues,
): Value {
  const typed = findTyped(name, flags, env)
  if (typed) {
    const [source, text] = typed
    const value = rule.parse(text)
    if (value === undefined || !rule.accepts(value)) throw createInvalid(source, rule, text)
    return value
  }
  const value = given[name] ?? config[name]
  if (value === undefined) return fallback
  if (rule.accepts(value)) return value
  const error = createInvalid(name, rule, value)
  if (given[name] === undefined) error.fix = `Correct "${name}" in hydrant.config.ts.`
  throw error
}

/** Returns the text of a flag or a variable that sets an option, after the name of its source. */
function findTyped(
  name: string,
  flags: Record<string, string | undefined>,
  env: Record<string, string | undefined>,
): [source: string, text: string] | null {
  const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  const variable = variableOf(name)
  const second = rules[name as OptionName].env ?? variable
  for (const [source, text] of [
    [flag, flags[name]],
    [variable, env[variable]],
    [second, env[second]],
  ] as const)
    if (text !== undefined && text !== '') return [source, text]
  return null
}

/** The options whose values lead to errors later, when a server starts. */
const LATER_ERRORS: Readonly<Record<string, readonly OptionName[]>> = {
  HYD_LISTEN_FAILED: ['host', 'port', 'socket'],
  HYD_PORT_IN_USE: ['host', 'port'],
  HYD_SOCKET_IN_USE: ['socket'],
  HYD_ADMIN_LISTEN_FAILED: ['admin', 'admin.host', 'admin.port'],
  HYD_ADMIN_PORT_IN_USE: ['admin', 'admin.host', 'admin.port'],
  HYD_OPTION_ADMIN_TOKEN: ['admin', 'admin.host'],
  HYD_OPTION_INVALID: ['admin.token', 'admin.readToken', 'ledger'],
  HYD_LEDGER_FOREIGN: ['ledger'],
}

/** Adds the flags, variables and the configuration that an error of a start comes from to its message. */
export function nameSources(error: unknown, { flags = {}, env = {}, config = {} }: OptionSources): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const configured = flatten(config)
  const sources = (LATER_ERRORS[String(error.code)] ?? []).flatMap((name) => {
    const [source] = findTyped(name, flags, withoutServiceLinks(env)) ?? []
    if (source === undefined) return configured[name] === undefined ? [] : [`"${name}" is set in hydrant.config.ts`]
    return error.message.includes(source) ? [] : [`"${name}" is set by ${source}`]
  })
  if (sources.length > 0) error.message += ` (${sources.join(', ')})`
  return error
}

function createInvalid(source: string, rule: OptionRule<unknown>, value: unknown) {
  const shown = rule.isSecret || rule.hidesRefused || hasPassword(value) ? 'a secret value' : showValue(value)
  return createInvalidOption(source, rule.expected, shown)
}

/** Whether the value is a URL with a password. */
const hasPassword = (value: unknown) => typeof value === 'string' && /:\/\/[^/]*:.*@/.test(value)

function requireKnown(names: readonly string[], known: readonly string[]) {
  for (const name of names) {
    if (known.includes(name)) continue
    throw createHydrantError('HYD_OPTION_UNKNOWN', [name, hintAtClosest(name, known)])
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
      // A text may be meant for an option of the group, which may be a secret.
      const shown = typeof value === 'string' ? 'a string' : showValue(value)
      throw createHydrantError('HYD_OPTION_INVALID', [name, expected, shown])
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
