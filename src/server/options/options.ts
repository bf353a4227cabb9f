// The types of the options with their values, derived from what a configuration may contain (config.ts).

import { createHydrantError, type HydrantError } from '../errors/hydrant-error.ts'
import type { ServerOptions, SiteOptions } from './config.ts'

/** The options inside a group such as `timeouts`; never for an option that is a value itself. */
type GroupOf<Option> = Extract<NonNullable<Option>, Record<string, unknown>>

/** Options whose resolved value has a different type than the value in a configuration. */
interface ResolvedTypes {
  onFailure: NonNullable<SiteOptions['onFailure']> | null
  traceOf: NonNullable<SiteOptions['traceOf']> | null
  instrument: NonNullable<SiteOptions['instrument']> | null
  identifyVisitor: NonNullable<SiteOptions['identifyVisitor']> | null
  socket: string | null
  trustProxy: Exclude<NonNullable<ServerOptions['trustProxy']>, number>
  admin: AdminOptions | false
}

/**
 * Every option with its value, checked. An option that is not set and has no default is empty (a text or a list) or
 * null.
 */
export type Options = {
  [Name in keyof ServerOptions]-?: Name extends keyof ResolvedTypes
    ? ResolvedTypes[Name]
    : [GroupOf<ServerOptions[Name]>] extends [never]
      ? NonNullable<ServerOptions[Name]>
      : Required<GroupOf<ServerOptions[Name]>>
}

type NamesIn<Config> = {
  [Name in keyof Config & string]-?: [GroupOf<Config[Name]>] extends [never]
    ? Name
    : `${Name}.${keyof GroupOf<Config[Name]> & string}`
}[keyof Config & string]

/** Names of the options that a site takes in every server: `base`, `timeouts.loadMs`. */
export type SiteOptionName = NamesIn<SiteOptions>

/** Names of all options. `admin` is a group and can also be given as a single value. */
export type OptionName = NamesIn<ServerOptions> | 'admin'

/** The checked value of the option with that name. */
export type OptionValue<Name extends OptionName> = Name extends 'admin'
  ? boolean | AdminAddress
  : Name extends `${infer Group extends keyof Options}.${infer Part}`
    ? PartOf<Exclude<Options[Group], false>, Part>
    : Name extends keyof Options
      ? Options[Name]
      : never

type PartOf<Group, Part> = Part extends keyof Group ? Group[Part] : never

type AdminParts = Required<Exclude<NonNullable<ServerOptions['admin']>, boolean>>

/** The checked options of the admin listener. `token` and `readToken` are empty when they are not set. */
export interface AdminOptions extends Omit<AdminParts, 'port'> {
  /** Null for the default port, if it is free. */
  port: number | null
}

/** The address of the admin listener, given as a single value. */
interface AdminAddress {
  /** Left out when only a port is given. */
  host?: string
  port: number
}

export const DEFAULT_ADMIN_PORT = 9320

/** Reads `false`, `true`, `9320`, `127.0.0.1:9320` and `[::1]:9320`. Returns undefined for anything else. */
export function parseAdmin(text: string): boolean | AdminAddress | undefined {
  if (text === 'true' || text === 'false') return text === 'true'
  const [, ipv6, name, digits = ''] = /^(?:(?:\[([\da-f:.]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(text) ?? []
  const port = Number(digits)
  if (digits === '' || port > 65_535) return undefined
  const host = ipv6 ?? name
  return host === undefined ? { port } : { host, port }
}

/** Combines both forms of the option: the single value overrides the parts. */
export function joinAdmin(single: boolean | AdminAddress, parts: AdminOptions): AdminOptions | false {
  if (single === false) return false
  return single === true ? parts : { ...parts, ...single }
}

/**
 * Throws HYD_OPTION_ADMIN_TOKEN if other machines can reach the listener and it has no token. Throws HYD_OPTION_INVALID
 * if the read token gives full access, because there is no other token or both are the same.
 */
export function requireToken({ host, token, readToken }: AdminOptions) {
  if (readToken !== '' && (token === '' || token === readToken))
    throw createHydrantError('HYD_OPTION_INVALID', [
      'admin.readToken',
      'left out, or set together with a different "admin.token"',
      token === '' ? 'no "admin.token"' : 'the same token',
    ])
  if (token === '' && !isLoopback(host)) throw createHydrantError('HYD_OPTION_ADMIN_TOKEN', [host])
}

function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

/**
 * Creates HYD_OPTION_INVALID.
 *
 * @param source Where the value comes from: a flag, an environment variable, or the name of the option.
 * @param shown The value, as the message shows it.
 */
export function createInvalidOption(source: string, expected: string, shown: string): HydrantError {
  const error = createHydrantError('HYD_OPTION_INVALID', [source, expected, shown])
  if (source.startsWith('--')) error.fix = `Correct the value of ${source}.`
  else if (/^[A-Z_]+$/.test(source))
    error.fix = `Correct the variable ${source} in the environment or in the .env files.`
  return error
}
