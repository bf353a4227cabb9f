import { isAddressRange, isHostName, parseUrl } from '../util/addresses.ts'
import { isParsable, isPostgresUrl } from '../util/postgres.ts'
import { type OptionName, type OptionValue, parseAdmin, type SiteOptionName } from './options.ts'

// The kinds of rules: how the value of an option is read from text, and how it is checked.

/** How an option is read and checked. */
export interface OptionRule<Value> {
  /** Completes the sentence `"port" must be …`. */
  expected: string
  fallback: Value
  /** Reads the text of a flag or an environment variable. Returns undefined for text in another form. */
  parse(text: string): unknown
  accepts(value: unknown): value is Value
  /** A second environment variable, besides `HYDRANT_<NAME>`. */
  env?: string
  /** The option can only be given in code, not as text. */
  isCode?: true
  /** Errors do not show the value. */
  isSecret?: true
  /** A value that is refused may be a secret, or contain one. */
  hidesRefused?: true
}

const asTyped = (text: string) => text
const parseWhole = (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined)

const isWhole = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])
const parseBoolean = (text: string) => BOOLEANS.get(text)

const boolean = (fallback: boolean): OptionRule<boolean> => ({
  expected: 'true or false',
  fallback,
  parse: parseBoolean,
  accepts: (value) => typeof value === 'boolean',
})

const MAX_COUNT = 2_147_483_647

const count = (unit: string, fallback: number, least = 0, most = MAX_COUNT): OptionRule<number> => ({
  expected: `a whole number of ${unit} from ${least} to ${most}`,
  fallback,
  parse: parseWhole,
  accepts: (value) => isWhole(value, least, most),
})

const milliseconds = (fallback: number, least = 1) => count('milliseconds', fallback, least)

function port<Fallback>(fallback: Fallback): OptionRule<number | Fallback> {
  return {
    expected: 'a whole number from 0 to 65535',
    fallback,
    parse: parseWhole,
    accepts: (value): value is number => isWhole(value, 0, 65_535),
  }
}

const workers = (fallback: number): OptionRule<number | 'auto'> => ({
  expected: 'a whole number from 1 to 1024, or auto',
  fallback,
  parse: (text) => parseWhole(text) ?? text,
  accepts: (value) => value === 'auto' || isWhole(value, 1, 1_024),
})

function oneOf<Value extends string>(values: readonly Value[], fallback: NoInfer<Value>): OptionRule<Value> {
  return {
    expected: `one of ${values.join(', ')}`,
    fallback,
    parse: asTyped,
    accepts: (value): value is Value => values.some((allowed) => allowed === value),
  }
}

/** A text that `isValid` accepts. */
const text = (expected: string, fallback: string, isValid: (text: string) => boolean): OptionRule<string> => ({
  expected,
  fallback,
  parse: asTyped,
  accepts: (value): value is string => typeof value === 'string' && isValid(value),
})

/** A list of texts, with commas between them when it is typed. */
const list = (expected: string, isValid: (text: string) => boolean): OptionRule<string[]> => ({
  expected: `${expected}, separated by commas`,
  fallback: [],
  parse: (typed) => typed.split(',').map((part) => part.trim()),
  accepts: (value): value is string[] =>
    Array.isArray(value) && value.every((part) => typeof part === 'string' && isValid(part)),
})

/** A secret; empty for none. */
const key: OptionRule<string> = {
  ...text('a string of 16 to 200 printable ASCII characters without spaces', '', (value) =>
    /^[\x21-\x7e]{16,200}$/.test(value),
  ),
  isSecret: true,
}

/** A function; null for none. */
function callback<Callback>(): OptionRule<Callback | null> {
  return {
    expected: 'a function',
    fallback: null,
    parse: () => undefined,
    accepts: (value): value is Callback => typeof value === 'function',
    isCode: true,
  }
}

const isHost = (text: string) => /^[\w.:-]+$/.test(text)

/** Whether it is a host name, or `*.` and a host name. */
const isHostPattern = (text: string) => isHostName(text.replace(/^\*\./, ''))

/** Whether it is an origin in the browser's own spelling. A star would be part of the name, and match nothing. */
const isOrigin = (text: string) => /^https?:\/\/[^*]+$/.test(text) && parseUrl(text)?.origin === text

/** Whether it is a path of a file or a PostgreSQL URL. The URL of another database would become a file of that name. */
function isLedgerLocation(text: string): boolean {
  return /^[^\p{Cc}]+$/u.test(text) && (!/^[a-z][a-z\d+.-]*:\/\//i.test(text) || isPostgresUrl(text))
}

/**
 * Whether it is the URL of a PostgreSQL, Valkey or Redis server. The path of the latter two is empty or the number of a
 * database.
 */
function isStoreUrl(text: string): boolean {
  if (/\p{Cc}/u.test(text) || !isDecodable(text)) return false
  if (isPostgresUrl(text)) return isParsable(text)
  const url = /^(?:redis|valkey)s?:\/\//.test(text) ? parseUrl(text) : null
  return url !== null && url.hostname !== '' && /^\/?\d*$/.test(url.pathname) && url.search + url.hash === ''
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}

/** Whether it is a list of addresses and subnets, as a list or with commas between them. */
function isAddressList(value: unknown): value is string | string[] {
  const addresses = typeof value === 'string' ? value.split(',') : value
  return (
    Array.isArray(addresses) &&
    addresses.every((address) => typeof address === 'string' && isAddressRange(address.trim()))
  )
}

/** Each scope includes the options of the scopes before it. */
export const SCOPES = ['site', 'server', 'start'] as const
export type Scope = (typeof SCOPES)[number]

type Rules = {
  readonly [Name in OptionName]: OptionRule<OptionValue<Name>> & {
    scope: Name extends SiteOptionName ? 'site' : Exclude<Scope, 'site'>
  }
}

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
/** Longer paths are cut off by the system. */
const MAX_SOCKET_BYTES = 107

/** The rule of each option, by its name. */
export const rules: Rules = {
  base: {
    scope: 'site',
    ...text(
      '"/", or a path like "/shop" of letters, digits, "-", "_", "." and "~" without a slash at the end',
      '/',
      (path) => /^(?:\/|(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+)$/.test(path),
    ),
  },
  'timeouts.loadMs': { scope: 'site', ...milliseconds(10_000) },
  'timeouts.renderMs': { scope: 'site', ...milliseconds(10_000) },
  'timeouts.drainMs': { scope: 'site', ...milliseconds(10_000) },
  'timeouts.stopDelayMs': { scope: 'site', ...milliseconds(0, 0) },
  'timeouts.hangMs': { scope: 'site', ...milliseconds(60_000, 0) },
  'timeouts.startMs': { scope: 'server', ...milliseconds(10_000, 0) },
  'timeouts.headersMs': { scope: 'server', ...milliseconds(20_000) },
  'timeouts.requestMs': { scope: 'server', ...milliseconds(300_000) },
  'timeouts.sendMs': { scope: 'server', ...milliseconds(30_000) },
  'timeouts.keepAliveMs': { scope: 'server', ...milliseconds(72_000) },
  // V8's longest string has 536 million characters.
  'limits.maxDocumentLength': { scope: 'site', ...count('characters', 50_000_000, 1_000, 500_000_000) },
  'limits.maxConnections': { scope: 'server', ...count('connections', 10_000, 1) },
  'limits.maxHeaderBytes': { scope: 'server', ...count('bytes', 16_384, 1_024, 1_048_576) },
  'limits.maxRenders': { scope: 'site', ...count('renders', 1_000, 1) },
  'limits.maxEventLoopDelayMs': { scope: 'site', ...milliseconds(0, 0) },
  'limits.maxLiveStreams': { scope: 'site', ...count('streams', 5_000, 1) },
  'limits.maxLiveStreamsPerAddress': { scope: 'site', ...count('streams', 200, 1) },
  hosts: { scope: 'site', ...list('host names like "shop.example" or "*.shop.example", without ports', isHostPattern) },
  // Fastify reads 0 as its own default.
  bodyLimit: { scope: 'site', ...count('bytes', 1_048_576, 1) },
  'forms.maxFields': { scope: 'site', ...count('fields', 1_000) },
  'forms.maxFiles': { scope: 'site', ...count('files', 10) },
  'forms.maxFileBytes': { scope: 'site', ...count('bytes', 10_485_760) },
  'forms.maxUploadBytes': { scope: 'site', ...count('bytes', 1_073_741_824, 0, Number.MAX_SAFE_INTEGER) },
  allowedOrigins: { scope: 'site', ...list('origins like "https://app.example"', isOrigin) },
  'reports.enabled': { scope: 'site', ...boolean(true) },
  'reports.maxPerAddress': { scope: 'site', ...count('reports per minute', 60) },
  'reports.respectPrivacySignals': { scope: 'site', ...boolean(false) },
  markdown: { scope: 'site', ...boolean(true) },
  compress: { scope: 'site', ...boolean(true) },
  csp: { scope: 'site', ...boolean(true) },
  securityHeaders: { scope: 'site', ...boolean(true) },
  release: {
    scope: 'site',
    ...text('a name of 1 to 100 characters, without line breaks', '', (name) => /^[^\p{Cc}]{1,100}$/u.test(name)),
  },
  digestKey: { scope: 'site', ...key },
  onFailure: { scope: 'site', ...callback() },
  traceOf: { scope: 'site', ...callback() },
  instrument: { scope: 'site', ...callback() },
  identifyVisitor: { scope: 'site', ...callback() },
  ledger: {
    scope: 'site',
    expected: 'a file, a URL like "postgres://user@host/database", or false',
    fallback: 'hydrant-errors.db',
    parse: (typed) => parseBoolean(typed) ?? typed,
    accepts: (value): value is string | false =>
      value === false || (typeof value === 'string' && isLedgerLocation(value)),
    hidesRefused: true,
  },
  'ledgerLimits.maxFailures': { scope: 'site', ...count('failures', 5_000, 1, 100_000) },
  'ledgerLimits.maxOccurrences': { scope: 'site', ...count('occurrences', 100, 1, 10_000) },
  'ledgerLimits.maxAgeDays': { scope: 'site', ...count('days', 30, 1, 3_650) },
  'ledgerLimits.maxBytes': { scope: 'site', ...count('bytes', 100_000_000, 1_000_000, Number.MAX_SAFE_INTEGER) },
  'pageCache.maxBytes': { scope: 'site', ...count('bytes', 67_108_864, 0, Number.MAX_SAFE_INTEGER) },
  'pageCache.store': {
    scope: 'site',
    expected: 'a URL like "redis://host:6379" or "postgres://user@host/database"',
    fallback: null,
    parse: asTyped,
    accepts: (value): value is string | null => value === null || (typeof value === 'string' && isStoreUrl(value)),
    // A URL that is not well-formed may contain a password anywhere.
    isSecret: true,
  },
  'pageCache.header': { scope: 'site', ...boolean(false) },
  'pageCache.tagHeader': { scope: 'site', ...oneOf(['cache-tag', 'surrogate-key'], 'cache-tag') },
  serverTiming: { scope: 'site', ...boolean(false) },
  reactServer: { scope: 'site', ...oneOf(['bun', 'node'], 'bun') },
  trustProxy: {
    scope: 'server',
    expected: 'true, false, or the addresses and subnets of the proxies, separated by commas',
    fallback: false,
    // A number is refused, because clients can forge a chain of that many proxies. So `1` does not mean `true` here.
    parse: (typed) => parseWhole(typed) ?? parseBoolean(typed) ?? typed,
    accepts: (value): value is OptionValue<'trustProxy'> =>
      typeof value === 'boolean' || typeof value === 'function' || isAddressList(value),
  },
  forwardedHeader: { scope: 'server', ...oneOf(['x-forwarded', 'forwarded'], 'x-forwarded') },
  proxyStripsBase: { scope: 'server', ...boolean(false) },
  logRequests: { scope: 'server', ...boolean(false) },
  port: { scope: 'start', ...port(3000), env: 'PORT' },
  host: { scope: 'start', ...text('a host name or an IP address', '127.0.0.1', isHost), env: 'HOST' },
  socket: {
    scope: 'start',
    expected: `a file path of 1 to ${MAX_SOCKET_BYTES} bytes`,
    fallback: null,
    parse: asTyped,
    accepts: (value): value is string =>
      typeof value === 'string' && /^[^\p{Cc}]+$/u.test(value) && Buffer.byteLength(value) <= MAX_SOCKET_BYTES,
  },
  workers: { scope: 'start', ...workers(1) },
  logLevel: { scope: 'server', ...oneOf(LOG_LEVELS, 'info'), env: 'LOG_LEVEL' },
  admin: {
    scope: 'start',
    expected: 'true, false, a port, or an address like "127.0.0.1:9320" or "[::1]:9320"',
    fallback: true,
    parse: parseAdmin,
    // An object is always the result of `parse`: in code, an object contains the options below.
    accepts: (value): value is OptionValue<'admin'> => typeof value === 'boolean' || typeof value === 'object',
    // It may be a token that was meant for the option below.
    hidesRefused: true,
  },
  'admin.host': { scope: 'start', ...text('a host name or an IP address', '127.0.0.1', isHost) },
  'admin.port': { scope: 'start', ...port(null) },
  'admin.token': { scope: 'start', ...key },
  'admin.readToken': { scope: 'start', ...key },
}
