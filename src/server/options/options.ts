import type { FastifyServerOptions } from 'fastify'
import type { FailureRecord } from '../errors/failure-record.ts'
import { createHydrantError, showValue } from '../errors/hydrant-error.ts'
import type { FindTrace } from '../http/trace-context.ts'
import { closestMatch } from '../util/closest-match.ts'
import { type AdminAddress, type AdminOptions, joinAdmin } from './admin-address.ts'
import { type OptionRule, rules, SCOPES, type Scope } from './rules.ts'

/** Every option with its value, checked. */
export interface Options {
  base: string
  timeouts: {
    loadMs: number
    renderMs: number
    drainMs: number
    stopDelayMs: number
    hangMs: number
    headersMs: number
    requestMs: number
    keepAliveMs: number
    sendMs: number
  }
  limits: {
    maxConnections: number
    maxHeaderBytes: number
    maxUrlBytes: number
    maxPipelined: number
    maxRenders: number
    maxDocumentLength: number
    maxEventLoopDelayMs: number
  }
  /** Empty for any. */
  hosts: readonly string[]
  /** In bytes. */
  bodyLimit: number
  forms: {
    maxFields: number
    maxFieldBytes: number
    maxFiles: number
    maxFileBytes: number
    /** Of all requests together. */
    maxUploadBytes: number
  }
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
  compress: boolean
  csp: boolean
  securityHeaders: boolean
  /** Empty for the build's id. */
  release: string
  /** Empty for none. */
  digestKey: string
  onFailure: ((failure: FailureRecord) => unknown) | null
  traceOf: FindTrace | null
  /** A file, as it is written relative to the site's folder; a `postgres:` URL; or false for none. */
  ledger: string | false
  ledgerLimits: { maxFailures: number; maxOccurrences: number; maxAgeDays: number; maxBytes: number }
  reactServer: 'bun' | 'node'
  trustProxy: Exclude<NonNullable<FastifyServerOptions['trustProxy']>, number>
  forwardedHeader: 'x-forwarded' | 'forwarded'
  proxyStripsBase: boolean
  logRequests: boolean
  port: number
  host: string
  /** Instead of host and port; null for none. */
  socket: string | null
  workers: number | 'auto'
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
  /** Defaults that are other ones here, by the option's name. */
  defaults?: Record<string, unknown>
}

/** Options that other parts read themselves. */
const KNOWN_ELSEWHERE = ['esbuild']

/**
 * Checks everything and fills in the defaults. Throws HYD_OPTION_UNKNOWN for a name that is none, with the nearest
 * right one, and HYD_OPTION_INVALID for a value that is none.
 */
export function resolveOptions(sources: OptionSources): Options {
  const { flags = {}, env = {}, config = {}, given = {}, scope = 'start', defaults = {} } = sources
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
    const own = name in defaults ? { ...rule, fallback: defaults[name] } : rule
    resolved[name] = inScope(own) ? resolveOption(name, own, flags, env, written) : own.fallback
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
  const shown = rule.isSecret || hasPassword(value) ? 'a secret value' : showValue(value)
  return createHydrantError('HYD_OPTION_INVALID', [source, rule.expected, shown])
}

function requireKnown(name: string, known: readonly string[]) {
  if (known.includes(name)) return
  const meant = closestMatch(name, known)
  throw createHydrantError('HYD_OPTION_UNKNOWN', [name, meant ? `; did you mean "${meant}"?` : ''])
}

// Of a URL.
const hasPassword = (value: unknown) => typeof value === 'string' && /:\/\/[^/]*:.*@/.test(value)

/** Options that hold options. */
const GROUPS = ['timeouts', 'limits', 'forms', 'ledgerLimits', 'admin', 'reports']

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
