import { getCookie, setCookie } from '@tanstack/react-start/server'
import { getIronSession } from 'iron-session'

export function memberSession() {
  const { COOKIE_SECRET } = process.env
  if (!COOKIE_SECRET) throw new Error('Set COOKIE_SECRET, for example to the output of: openssl rand -base64 32')
  return getIronSession<{ member?: string }>(
    { read: getCookie, write: setCookie },
    {
      cookieName: 'member',
      password: COOKIE_SECRET,
      cookieOptions: { httpOnly: true, sameSite: 'lax', path: '/' },
    },
  )
}
