import { createCookieSessionStorage } from 'react-router'

export const { getSession, commitSession } = createCookieSessionStorage<{ member: string }>({
  cookie: {
    name: 'member',
    secrets: [process.env.COOKIE_SECRET ?? 'only for development, not for visitors'],
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
  },
})

export async function readMember(request: Request): Promise<string | null> {
  const session = await getSession(request.headers.get('Cookie'))
  return session.get('member') ?? null
}
