// The kinds of rules: how the value of an option is read from text, and how it is checked.

import { isParsable, isPostgresUrl } from '../postgres/database-url.ts'
import { isAddressRange } from '../util/ip-ranges.ts'
import { isHostName, parseUrl } from '../util/parse-url.ts'

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
}

export const asTyped = (text: string) => text
export const parseWhole = (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined)

const isWhole = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])
export const parseBoolean = (text: string) => BOOLEANS.get(text)

export const boolean = (fallback: boolean): OptionRule<boolean> => ({
  expected: 'true or false',
  fallback,
  parse: parseBoolean,
  accepts: (value) => typeof value === 'boolean',
})

const MAX_COUNT = 2_147_483_647

export const count = (unit: string, fallback: number, least = 0, most = MAX_COUNT): OptionRule<number> => ({
  expected: `a whole number of ${unit} from ${least} to ${most}`,
  fallback,
  parse: parseWhole,
  accepts: (value) => isWhole(value, least, most),
})

export const milliseconds = (fallback: number, least = 1) => count('milliseconds', fallback, least)

export function port<Fallback>(fallback: Fallback): OptionRule<number | Fallback> {
  return {
    expected: 'a whole number from 0 to 65535',
    fallback,
    parse: parseWhole,
    accepts: (value): value is number => isWhole(value, 0, 65_535),
  }
}

export const workers = (fallback: number): OptionRule<number | 'auto'> => ({
  expected: 'a whole number from 1 to 1024, or auto',
  fallback,
  parse: (text) => parseWhole(text) ?? text,
  accepts: (value) => value === 'auto' || isWhole(value, 1, 1_024),
})

export function oneOf<Value extends string>(values: readonly Value[], fallback: NoInfer<Value>): OptionRule<Value> {
  return {
    expected: `one of ${values.join(', ')}`,
    fallback,
    parse: asTyped,
    accepts: (value): value is Value => values.some((allowed) => allowed === value),
  }
}

/** A text that `isValid` accepts. */
export const text = (expected: string, fallback: string, isValid: (text: string) => boolean): OptionRule<string> => ({
  expected,
  fallback,
  parse: asTyped,
  accepts: (value): value is string => typeof value === 'string' && isValid(value),
})

/** A list of texts, with commas between them when it is typed. */
export const list = (expected: string, isValid: (text: string) => boolean): OptionRule<string[]> => ({
  expected: `${expected}, separated by commas`,
  fallback: [],
  parse: (typed) => typed.split(',').map((part) => part.trim()),
  accepts: (value): value is string[] =>
    Array.isArray(value) && value.every((part) => typeof part === 'string' && isValid(part)),
})

/** A secret; empty for none. */
export const key: OptionRule<string> = {
  ...text('a string of 16 to 200 printable ASCII characters without spaces', '', (value) =>
    /^[\x21-\x7e]{16,200}$/.test(value),
  ),
  isSecret: true,
}

/** A function; null for none. */
export function callback<Callback>(): OptionRule<Callback | null> {
  return {
    expected: 'a function',
    fallback: null,
    parse: () => undefined,
    accepts: (value): value is Callback => typeof value === 'function',
    isCode: true,
  }
}

export const isHost = (text: string) => /^[\w.:-]+$/.test(text)

/** Whether it is a host name, or `*.` and a host name. */
export const isHostPattern = (text: string) => isHostName(text.replace(/^\*\./, ''))

/** Whether it is an origin in the browser's own spelling. A star would be part of the name, and match nothing. */
export const isOrigin = (text: string) => /^https?:\/\/[^*]+$/.test(text) && parseUrl(text)?.origin === text

/** Whether it is a path of a file or a PostgreSQL URL. The URL of another database would become a file of that name. */
export function isLedgerLocation(text: string): boolean {
  return /^[^\p{Cc}]+$/u.test(text) && (!/^[a-z][a-z\d+.-]*:\/\//i.test(text) || isPostgresUrl(text))
}

/**
 * Whether it is the URL of a PostgreSQL, Valkey or Redis server. The path of the latter two is empty or the number of a
 * database.
 */
export function isStoreUrl(text: string): boolean {
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
export function isAddressList(value: unknown): value is string | string[] {
  const addresses = typeof value === 'string' ? value.split(',') : value
  return (
    Array.isArray(addresses) &&
    addresses.every((address) => typeof address === 'string' && isAddressRange(address.trim()))
  )
}
