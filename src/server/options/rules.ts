import { isHostName } from '../http/public-address.ts'
import { isAddressRange } from '../util/ip-ranges.ts'
import { parseUrl } from '../util/parse-url.ts'
import { parseAdmin } from './admin-address.ts'

/** Each scope takes the options of those before it. */
export const SCOPES = ['site', 'server', 'start'] as const
export type Scope = (typeof SCOPES)[number]

export interface OptionRule {
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

const keyRule = {
  expected: 'a string of 16 to 200 printable ASCII characters without spaces',
  fallback: '',
  parse: asTyped,
  accepts: isKey,
  isSecret: true,
} satisfies Omit<OptionRule, 'scope'>

const functionRule: OptionRule = {
  scope: 'site',
  expected: 'a function',
  fallback: null,
  parse: () => undefined,
  accepts: (value) => typeof value === 'function',
  isCode: true,
}

/** By name, the parts of a group behind a dot. */
export const rules: Record<string, OptionRule> = {
  base: {
    scope: 'site',
    expected: '"/", or a path like "/shop" of letters, digits, "-", "_", "." and "~" without a slash at the end',
    fallback: '/',
    parse: asTyped,
    accepts: (value) => typeof value === 'string' && /^(?:\/|(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+)$/.test(value),
  },
  'timeouts.loadMs': millisecondsRule,
  'timeouts.renderMs': millisecondsRule,
  'timeouts.drainMs': millisecondsRule,
  'timeouts.stopDelayMs': countRule('milliseconds', 0),
  'timeouts.hangMs': countRule('milliseconds', 60_000),
  'timeouts.headersMs': { ...millisecondsRule, scope: 'server', fallback: 20_000 },
  'timeouts.requestMs': { ...millisecondsRule, scope: 'server', fallback: 300_000 },
  'timeouts.sendMs': { ...millisecondsRule, scope: 'server', fallback: 30_000 },
  'timeouts.keepAliveMs': { ...millisecondsRule, scope: 'server', fallback: 72_000 },
  // No text in V8 is longer than 536 million.
  'limits.maxDocumentLength': countRule('characters', 50_000_000, 1_000, 500_000_000),
  'limits.maxConnections': { ...countRule('connections', 10_000, 1), scope: 'server' },
  'limits.maxHeaderBytes': { ...countRule('bytes', 16_384, 1_024, 1_048_576), scope: 'server' },
  'limits.maxRenders': countRule('renders', 1_000, 1),
  'limits.maxEventLoopDelayMs': countRule('milliseconds', 0),
  'limits.maxUrlBytes': countRule('bytes', 8_192, 1),
  'limits.maxPipelined': countRule('requests', 100),
  hosts: {
    scope: 'site',
    expected: 'host names like "shop.example" or "*.shop.example", without ports, separated by commas',
    fallback: [],
    parse: (text) => text.split(',').map((host) => host.trim()),
    accepts: (value) => Array.isArray(value) && value.every(isHostPattern),
  },
  // Fastify takes none for its own default.
  bodyLimit: countRule('bytes', 1_048_576, 1),
  'forms.maxFields': countRule('fields', 1_000),
  'forms.maxFieldBytes': countRule('bytes', 1_048_576),
  'forms.maxFiles': countRule('files', 10),
  'forms.maxFileBytes': countRule('bytes', 10_485_760),
  'forms.maxUploadBytes': countRule('bytes', 1_073_741_824, 0, Number.MAX_SAFE_INTEGER),
  allowedOrigins: {
    scope: 'site',
    expected: 'origins like "https://app.example", separated by commas',
    fallback: [],
    parse: (text) => text.split(',').map((origin) => origin.trim()),
    accepts: (value) => Array.isArray(value) && value.every(isOrigin),
  },
  'reports.enabled': booleanRule('site', true),
  'reports.maxPerPage': countRule('reports', 10),
  'reports.maxPerAddress': countRule('reports per minute', 60),
  'reports.maxTotal': countRule('reports per minute', 600),
  'reports.maxBytes': countRule('bytes', 32_768, 1),
  'reports.respectPrivacySignals': booleanRule('site', false),
  compress: booleanRule('site', true),
  csp: booleanRule('site', true),
  securityHeaders: booleanRule('site', true),
  release: {
    scope: 'site',
    expected: 'a name of 1 to 100 characters, without line breaks',
    fallback: '',
    parse: asTyped,
    accepts: (value) => typeof value === 'string' && /^[^\p{Cc}]{1,100}$/u.test(value),
  },
  digestKey: { ...keyRule, scope: 'site' },
  onFailure: functionRule,
  traceOf: functionRule,
  ledger: {
    scope: 'site',
    expected: 'a file, a URL like "postgres://user@host/database", or false',
    fallback: 'hydrant-errors.db',
    parse: (text) => BOOLEANS.get(text) ?? text,
    accepts: (value) => value === false || (typeof value === 'string' && isLedgerPlace(value)),
  },
  'ledgerLimits.maxFailures': countRule('failures', 5_000, 1, 100_000),
  'ledgerLimits.maxOccurrences': countRule('occurrences', 100, 1, 10_000),
  'ledgerLimits.maxAgeDays': countRule('days', 30, 1, 3_650),
  'ledgerLimits.maxBytes': countRule('bytes', 100_000_000, 1_000_000, Number.MAX_SAFE_INTEGER),
  reactServer: oneOf('site', ['bun', 'node'], 'bun'),
  trustProxy: {
    scope: 'server',
    expected: 'true, false, or the addresses and subnets of the proxies, separated by commas',
    fallback: false,
    // Fastify trusts nobody for a number of proxies, as that many can be forged: it is refused, and `1` is not `true`.
    parse: (text) => parseWhole(text) ?? BOOLEANS.get(text) ?? text,
    accepts: isTrustProxy,
  },
  forwardedHeader: oneOf('server', ['x-forwarded', 'forwarded'], 'x-forwarded'),
  proxyStripsBase: booleanRule('server', false),
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
  socket: {
    scope: 'start',
    expected: 'a file path of 1 to 107 bytes',
    fallback: null,
    parse: asTyped,
    // What is longer the system cuts off.
    accepts: (value) => typeof value === 'string' && /^[^\p{Cc}]+$/u.test(value) && Buffer.byteLength(value) <= 107,
  },
  workers: {
    scope: 'start',
    expected: 'a whole number from 1 to 1024, or auto',
    fallback: 1,
    parse: (text) => parseWhole(text) ?? text,
    accepts: (value) => value === 'auto' || isWhole(value, 1, 1_024),
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
  'admin.token': { ...keyRule, scope: 'start' },
  'admin.readToken': { ...keyRule, scope: 'start' },
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' && /^[\x21-\x7e]{16,200}$/.test(value)
}

function isOrigin(value: unknown): boolean {
  // A star would be taken for a part of the name, and match nothing.
  return typeof value === 'string' && /^https?:\/\/[^*]+$/.test(value) && parseUrl(value)?.origin === value
}

// Of another database it would be a file by that name.
function isLedgerPlace(text: string): boolean {
  return /^[^\p{Cc}]+$/u.test(text) && (!/^[a-z][a-z\d+.-]*:\/\//i.test(text) || /^postgres(?:ql)?:\/\//.test(text))
}

function isTrustProxy(value: unknown): boolean {
  if (typeof value === 'boolean' || typeof value === 'function') return true
  const addresses = typeof value === 'string' ? value.split(',') : value
  return (
    Array.isArray(addresses) &&
    addresses.every((address) => typeof address === 'string' && isAddressRange(address.trim()))
  )
}

function isHost(value: unknown): boolean {
  return typeof value === 'string' && /^[\w.:-]+$/.test(value)
}

function isHostPattern(value: unknown): boolean {
  return typeof value === 'string' && isHostName(value.replace(/^\*\./, ''))
}
