import { type LoadContext, redirect } from 'hydrant'
import { href } from 'hydrant/react'

export async function load({ app, url, reply }: LoadContext) {
  const typed = url.searchParams.get('digest') ?? ''
  const found = await app.console.find(typed)
  if (found.kind === 'found') {
    const digest = found.digest ?? found.failure.cause
    redirect(new URL(href('/failures/[digest]', { digest }), url).pathname)
  }
  reply.code(404)
  return { typed: typed.slice(0, 100), nearest: found.nearest }
}
