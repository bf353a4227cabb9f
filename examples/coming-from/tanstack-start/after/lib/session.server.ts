import type { FastifyReply, FastifyRequest } from 'fastify'

export function readMember(request: FastifyRequest): string | null {
  const signed = request.cookies.member
  return signed ? request.unsignCookie(signed).value : null
}

export function signIn(reply: FastifyReply, name: string): void {
  reply.setCookie('member', name, { path: '/', httpOnly: true, sameSite: 'lax', signed: true })
}
