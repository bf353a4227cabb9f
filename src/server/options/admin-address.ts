import { createHydrantError } from '../errors/hydrant-error.ts'

/** Of the admin listener. */
export interface AdminOptions {
  host: string
  /** Null for the default port, if that is free. */
  port: number | null
  /** Empty for none. */
  token: string
  /** For who may read, and change nothing; empty for none. */
  readToken: string
}

/** As it is typed in one word; what it leaves out is said elsewhere. */
export interface AdminAddress {
  host?: string
  port: number
}

export const DEFAULT_ADMIN_PORT = 9320

/** Reads `false`, `true`, `9320`, `127.0.0.1:9320`, `[::1]:9320`; undefined for anything else. */
export function parseAdmin(text: string): boolean | AdminAddress | undefined {
  if (text === 'true' || text === 'false') return text === 'true'
  const [, ipv6, name, digits = ''] = /^(?:(?:\[([\da-f:.]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(text) ?? []
  const port = Number(digits)
  if (digits === '' || port > 65_535) return undefined
  const host = ipv6 ?? name
  return host === undefined ? { port } : { host, port }
}

/** What is typed in one word beats what is said in parts. */
export function joinAdmin(typed: boolean | AdminAddress, parts: AdminOptions): AdminOptions | false {
  if (typed === false) return false
  return typed === true ? parts : { ...parts, ...typed }
}

/**
 * Throws HYD_OPTION_ADMIN_TOKEN when others than this machine's users could reach it without a token, and HYD_OPTION_INVALID
 * for a token to read with that keeps nobody from changing anything.
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
