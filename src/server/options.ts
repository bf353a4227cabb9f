import type { FastifyServerOptions } from 'fastify'
import { type AdminAddress, type AdminOptions, joinAdmin, parseAdmin } from './admin-option.ts'
import { createHydrantError, showValue } from './errors.ts'
import type { FailureRecord } from './ledger/ledger.ts'
import { nearest } from './nearest.ts'

/** Every option with its value, checked. */
export interface Options {
  base: string
  timeouts: { loadMs: number; renderMs: number; drainMs: number }
  /** In bytes. */
  bodyLimit: number
  forms: { maxFields: number; maxFieldBytes: number; maxFiles: number; maxFileBytes: number }
  allowedOrigins: readonly string[]
  reports: {
    enabled: boolean
    maxPerPage: number
    /** A minute. */
    maxPerAddress: number
    /** A minute. */
    maxTotal: number
    maxBytes: number
    respectPrivacySignals: boolean
  }
  csp: boolean
  /** Empty for the build's id. */
  release: string
  onFailure: ((failure: FailureRecord) => unknown) | null
  /** A file, as it is written relative to the site's folder; a `postgres:` URL; or false for none. */
  ledger: string | false
  ledgerLimits: { maxCauses: number; maxOccurrences: number; maxAgeDays: number; maxBytes: number }
  reactServer: 'bun' | 'node'
  trustProxy: NonNullable<FastifyServerOptions['trustProxy']>
  logRequests: boolean
  port: number
  host: string
  logLevel: string
  admin: AdminOptions | false
}

/** Where options come from; a flag beats the environment, which beats the configuration. */
export interface OptionSources {
  /** As typed on the command line; undefined for those not given. */
  flags?: Record<string, string | undefined>
  env?: Record<string, string | undefined>
  /** The site's `hydrant.config.ts`, which may hold every option, wherever it is read. */
  config?: Record<string, unknown>
  /** Options given in code, which beat the configuration. */
  given?: Record<string, unknown>
  /** What the options are for: a site in an app of its own, a server, or a server that listens ('start'). */
  scope?: Scope
}

/** Each scope takes the options of those before it. */
const SCOPES = ['site', 'server', 'start'] as const
type Scope = (typeof SCOPES)[number]

interface OptionRule {
  scope: Scope
  /** Completes the sentence `"port" must be …`. */
  expected: string
  fallback: unknown
  /** Reads what was typed; undefined for what is not of that form. */
  parse(text: string): unknown
  accepts(value: unknown): boolean
  /** Names in the environment, besides `HYDRANT_<NAME>`. */
  env?: string
  /** Cannot be typed, in the environment or on the command line: only code can give it. */
  isCode?: true
  /** Not to be shown in an error. */
  isSecret?: boolean
}

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

const isWhole = (value: unknown, least: number, most: number) =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
const parseWhole = (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined)
const asTyped = (text: string) => text

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])
const booleanRule = (scope: Scope, fallback: boolean): OptionRule => ({
  scope,
  expected: 'true or false',
  fallback,
  parse: (text) => BOOLEANS.get(text),
  accepts: (value) => typeof value === 'boolean',
})

const millisecondsRule: OptionRule = {
  scope: 'site',
  expected: 'a whole number of milliseconds from 1 to 2147483647',
  fallback: 10_000,
  parse: parseWhole,
  accepts: (value) => isWhole(value, 1, 2_147_483_647),
}

const MAX_COUNT = 2_147_483_647

const countRule = (what: string, fallback: number, least = 0, most = MAX_COUNT): OptionRule => ({
  scope: 'site',
  expected: `a whole number of ${what} from ${least} to ${most}`,
  fallback,
  parse: parseWhole,
  accepts: (value) => isWhole(value, least, most),
})

const oneOf = (scope: Scope, values: readonly string[], fallback: string): OptionRule => ({
  scope,
  expected: `one of ${values.join(', ')}`,
  fallback,
  parse: asTyped,
  accepts: (value) => typeof value === 'string' && values.includes(value),
})

const rules: Record<string, OptionRule> = {
  base: {
    scope: 'site',
    expected: '"/" or a path like "/shop" of letters, digits, "-", "_", "." and "~", with no slash at its end',
    fallback: '/',
    parse: asTyped,
    accepts: (value) => typeof value === 'string' && /^(?:\/|(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+)$/.test(value),
  },
  'timeouts.loadMs': millisecondsRule,
  'timeouts.renderMs': millisecondsRule,
  'timeouts.drainMs': millisecondsRule,
  // Fastify takes none for its own default.
  bodyLimit: countRule('bytes', 1_048_576, 1),
  'forms.maxFields': countRule('fields', 1_000),
  'forms.maxFieldBytes': countRule('bytes', 1_048_576),
  'forms.maxFiles': countRule('files', 10),
  'forms.maxFileBytes': countRule('bytes', 10_485_760),
  allowedOrigins: {
    scope: 'site',
    expected: 'origins like "https://app.example", with commas between them',
    fallback: [],
    parse: (text) => text.split(',').map((origin) => origin.trim()),
    accepts: (value) => Array.isArray(value) && value.every(isOrigin),
  },
  'reports.enabled': booleanRule('site', true),
  'reports.maxPerPage': countRule('reports', 10),
  'reports.maxPerAddress': countRule('reports a minute', 60),
  'reports.maxTotal': countRule('reports a minute', 600),
  'reports.maxBytes': countRule('bytes', 32_768, 1),
  'reports.respectPrivacySignals': booleanRule('site', false),
  csp: booleanRule('site', true),
  release: {
    scope: 'site',
    expected: 'a name of 1 to 100 characters, without line breaks',
    fallback: '',
    parse: asTyped,
    accepts: (value) => typeof value === 'string' && /^[^\p{Cc}]{1,100}$/u.test(value),
  },
  onFailure: {
    scope: 'site',
    expected: 'a function',
    fallback: null,
    parse: () => undefined,
    accepts: (value) => typeof value === 'function',
    isCode: true,
  },
  ledger: {
    scope: 'site',
    expected: 'a file, a URL like "postgres://user@host/database", or false',
    fallback: 'hydrant-errors.db',
    parse: (text) => BOOLEANS.get(text) ?? text,
    accepts: (value) => value === false || (typeof value === 'string' && /^[^\p{Cc}]+$/u.test(value)),
  },
  'ledgerLimits.maxCauses': countRule('causes', 1_000, 1, 100_000),
  'ledgerLimits.maxOccurrences': countRule('occurrences', 100, 1, 10_000),
  'ledgerLimits.maxAgeDays': countRule('days', 30, 1, 3_650),
  'ledgerLimits.maxBytes': countRule('bytes', 100_000_000, 1_000_000, Number.MAX_SAFE_INTEGER),
  reactServer: oneOf('site', ['bun', 'node'], 'bun'),
  trustProxy: {
    scope: 'server',
    expected: 'true, false, or the proxies’ addresses and subnets with commas between them',
    fallback: false,
    // Fastify trusts nobody for a number of proxies, as that many can be forged: it is refused, and `1` is not `true`.
    parse: (text) => parseWhole(text) ?? BOOLEANS.get(text) ?? text,
    accepts: isTrustProxy,
  },
  logRequests: booleanRule('server', false),
  port: {
    scope: 'start',
    expected: 'a whole number from 0 to 65535',
    fallback: 3000,
    parse: parseWhole,
    accepts: (value) => isWhole(value, 0, 65_535),
    env: 'PORT',
  },
  host: {
    scope: 'start',
    expected: 'a host name or an IP address',
    fallback: '127.0.0.1',
    parse: asTyped,
    accepts: isHost,
    env: 'HOST',
  },
  logLevel: { ...oneOf('server', LEVELS, 'info'), env: 'LOG_LEVEL' },
  admin: {
    scope: 'start',
    expected: 'true, false, a port, or an address like "127.0.0.1:9320" or "[::1]:9320"',
    fallback: true,
    parse: parseAdmin,
    // In code an address is said in the parts below: what comes here as an object has been parsed.
    accepts: (value) => typeof value === 'boolean' || typeof value === 'object',
  },
  'admin.host': {
    scope: 'start',
    expected: 'a host name or an IP address',
    fallback: '127.0.0.1',
    parse: asTyped,
    accepts: isHost,
  },
  'admin.port': {
    scope: 'start',
    expected: 'a whole number from 0 to 65535',
    fallback: null,
    parse: parseWhole,
    accepts: (value) => isWhole(value, 0, 65_535),
  },
  'admin.token': {
    scope: 'start',
    expected: 'a text of 16 to 200 letters, digits and signs, without blanks',
    fallback: '',
    parse: asTyped,
    accepts: (value) => typeof value === 'string' && /^[\x21-\x7e]{16,200}$/.test(value),
    isSecret: true,
  },
}

/** Options that other parts read themselves. */
const KNOWN_ELSEWHERE = ['esbuild']

/**
 * Checks everything and fills in the defaults. Throws HYD_OPTION_UNKNOWN for a name that is none, with the nearest
 * right one, and HYD_OPTION_INVALID for a value that is none.
 */
export function resolveOptions(sources: OptionSources): Options {
  const { flags = {}, env = {}, config = {}, given = {}, scope = 'start' } = sources
  const written = { ...flatten(config), ...flatten(given) }
  const inScope = (rule: OptionRule) => SCOPES.indexOf(rule.scope) <= SCOPES.indexOf(scope)
  const ownNames = Object.keys(rules).filter((name) => rules[name] && inScope(rules[name]))
  const environment = new Map<string, string>()
  for (const [name, { isCode }] of Object.entries(rules)) {
    if (!isCode) environment.set(environmentName(name), name)
  }
  for (const name of Object.keys(flatten(config))) {
    if (!KNOWN_ELSEWHERE.includes(name)) requireKnown(name, Object.keys(rules))
  }
  for (const name of Object.keys(flatten(given))) requireKnown(name, ownNames)
  for (const name of Object.keys(flags)) requireKnown(name, Object.keys(rules))
  for (const name of Object.keys(env)) {
    if (name.startsWith('HYDRANT_')) requireKnown(name, [...environment.keys()])
  }
  const resolved: Record<string, unknown> = {}
  for (const [name, rule] of Object.entries(rules)) {
    resolved[name] = inScope(rule) ? resolveOption(name, rule, flags, env, written) : rule.fallback
  }
  return unflatten(resolved)
}

/** `timeouts.loadMs` is `HYDRANT_TIMEOUTS_LOAD_MS`. */
function environmentName(name: string): string {
  return `HYDRANT_${name.replace(/[A-Z]/g, '_$&').replace('.', '_').toUpperCase()}`
}

function resolveOption(
  name: string,
  rule: OptionRule,
  flags: Record<string, string | undefined>,
  env: Record<string, string | undefined>,
  given: Record<string, unknown>,
): unknown {
  const ownName = environmentName(name)
  const typed: [string, string | undefined][] = [
    [`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, flags[name]],
    [ownName, env[ownName]],
    [rule.env ?? ownName, env[rule.env ?? ownName]],
  ]
  for (const [source, text] of typed) {
    if (text === undefined || text === '') continue
    const value = rule.parse(text)
    if (value === undefined || !rule.accepts(value)) throw invalid(source, rule, text)
    return value
  }
  const value = given[name]
  if (value === undefined) return rule.fallback
  if (!rule.accepts(value)) throw invalid(name, rule, value)
  return value
}

function invalid(source: string, rule: OptionRule, value: unknown) {
  const shown = rule.isSecret ? 'another one' : showValue(value)
  return createHydrantError('HYD_OPTION_INVALID', [source, rule.expected, shown])
}

function requireKnown(name: string, known: readonly string[]) {
  if (known.includes(name)) return
  const meant = nearest(name, known)
  throw createHydrantError('HYD_OPTION_UNKNOWN', [name, meant ? `; did you mean "${meant}"?` : ''])
}

/** Options that hold options. */
const GROUPS = ['timeouts', 'forms', 'ledgerLimits', 'admin', 'reports']

function flatten(config: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(config).flatMap(([name, value]): [string, unknown][] => {
    const canBeSwitched = rules[name] !== undefined
    if (!GROUPS.includes(name) || (canBeSwitched && typeof value === 'boolean')) return [[name, value]]
    if (value === undefined) return []
    if (typeof value !== 'object' || value === null) {
      const expected = canBeSwitched ? 'an object, true or false' : 'an object'
      throw createHydrantError('HYD_OPTION_INVALID', [name, expected, showValue(value)])
    }
    return Object.entries(value).map(([inner, part]) => [`${name}.${inner}`, part])
  })
  return Object.fromEntries(entries)
}

function unflatten(resolved: Record<string, unknown>): Options {
  const groups = new Map(GROUPS.map((name): [string, Record<string, unknown>] => [name, {}]))
  const options: Record<string, unknown> = Object.fromEntries(groups)
  for (const [name, value] of Object.entries(resolved)) {
    const [first = '', second] = name.split('.')
    const group = groups.get(first)
    if (group && second !== undefined) group[second] = value
    else options[name] = value
  }
  // Each rule has checked its value.
  options.admin = joinAdmin(resolved.admin as AdminAddress | boolean, groups.get('admin') as unknown as AdminOptions)
  return options as unknown as Options
}

function isHost(value: unknown): boolean {
  return typeof value === 'string' && /^[\w.:-]+$/.test(value)
}

function isOrigin(value: unknown): boolean {
  // A star would be taken for a part of the name, and match nothing.
  if (typeof value !== 'string' || !/^https?:\/\/[^*]+$/.test(value) || !URL.canParse(value)) return false
  return new URL(value).origin === value
}

function isTrustProxy(value: unknown): boolean {
  if (typeof value === 'boolean' || typeof value === 'function') return true
  const addresses = typeof value === 'string' ? value.split(',') : value
  return (
    Array.isArray(addresses) &&
    addresses.every(
      (address) =>
        typeof address === 'string' && /^\s*(?:[\da-f.:]+(?:\/\d+)?|loopback|linklocal|uniquelocal)\s*$/i.test(address),
    )
  )
}
