import { createHydrantError } from '../errors/hydrant-error.ts'
import type { ServerOptions } from './config.ts'

type AdminParts = Required<Exclude<NonNullable<ServerOptions['admin']>, boolean>>

/** The checked options of the admin listener. `token` and `readToken` are empty when they are not set. */
export interface AdminOptions extends Omit<AdminParts, 'port'> {
  /** Null for the default port, if it is free. */
  port: number | null
}

/** The address of the admin listener, given as a single value. */
export interface AdminAddress {
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
