import { getCookie, setCookie } from '@tanstack/react-start/server'
import { getIronSession } from 'iron-session'

export function memberSession() {
  return getIronSession<{ member?: string }>(
    { read: getCookie, write: setCookie },
    {
      cookieName: 'member',
      password: process.env.COOKIE_SECRET ?? 'only for development, not for visitors',
      cookieOptions: { httpOnly: true, sameSite: 'lax', path: '/' },
    },
  )
}
