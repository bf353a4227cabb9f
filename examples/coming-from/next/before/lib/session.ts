import { createHmac, timingSafeEqual } from 'node:crypto'

const SECRET = process.env.COOKIE_SECRET ?? 'only for development, not for visitors'

export function sign(name: string): string {
  return `${name}.${createHmac('sha256', SECRET).update(name).digest('base64url')}`
}

export function readSigned(value: string | undefined): string | null {
  const name = value?.slice(0, value.lastIndexOf('.')) ?? ''
  const expected = Buffer.from(sign(name))
  const given = Buffer.from(value ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected) ? name : null
}
