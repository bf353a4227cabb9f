import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

const COOKIE = 'notes-visitor'
const ONE_YEAR = 365 * 24 * 60 * 60

export interface Visitor {
  /** A random id that only the visitor's browser and the server know. */
  id: string
  /** Whether the browser has sent the id. */
  isKnown: boolean
}

/** Returns the visitor of a request. A visitor without a cookie gets a new id. */
export function readVisitor({ headers }: FastifyRequest): Visitor {
  const known = new RegExp(`(?:^|; )${COOKIE}=([\\da-f-]{36})(?:;|$)`).exec(headers.cookie ?? '')?.[1]
  return { id: known ?? randomUUID(), isKnown: known !== undefined }
}

/** Returns the header `Set-Cookie` that keeps the id of a visitor. */
export function visitorCookie({ id }: Visitor, path: string, isSecure: boolean): string {
  return `${COOKIE}=${id}; Path=${path}; Max-Age=${ONE_YEAR}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}
