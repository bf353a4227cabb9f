import { createCookieSessionStorage } from 'react-router'

const { COOKIE_SECRET } = process.env
if (!COOKIE_SECRET) throw new Error('Set COOKIE_SECRET, for example to the output of: openssl rand -base64 32')

export const { getSession, commitSession } = createCookieSessionStorage<{ member: string }>({
  cookie: {
    name: 'member',
    secrets: [COOKIE_SECRET],
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
  },
})

export async function readMember(request: Request): Promise<string | null> {
  const session = await getSession(request.headers.get('Cookie'))
  return session.get('member') ?? null
}
