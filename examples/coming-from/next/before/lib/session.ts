import { createHmac, timingSafeEqual } from 'node:crypto'

export function sign(name: string): string {
  const { COOKIE_SECRET } = process.env
  if (!COOKIE_SECRET) throw new Error('Set COOKIE_SECRET, for example to the output of: openssl rand -base64 32')
  return `${name}.${createHmac('sha256', COOKIE_SECRET).update(name).digest('base64url')}`
}

export function readSigned(value: string | undefined): string | null {
  const name = value?.slice(0, value.lastIndexOf('.')) ?? ''
  const expected = Buffer.from(sign(name))
  const given = Buffer.from(value ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected) ? name : null
}
