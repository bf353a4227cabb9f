import type { LayoutGuardContext } from 'hydrant'
import { href } from 'hydrant/react'
import { readVisitor, visitorCookie } from '../../notes/visitor.server.ts'

/** Tells the pages who the visitor is. Nobody has to sign in, and a visitor who only reads gets no cookie. */
export function guard({ request, reply }: LayoutGuardContext<'/notes'>) {
  const visitor = readVisitor(request)
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  if (!isReading && !visitor.isKnown) {
    reply.header('set-cookie', visitorCookie(visitor, href('/notes'), request.protocol === 'https'))
  }
  return { visitor, isReading }
}
