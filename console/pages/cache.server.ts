import { type ActionContext, type LoadContext, redirect } from 'hydrant'

export async function load({ app, request }: LoadContext<'/cache'>) {
  return { report: await app.console.cache.read(), mayChange: app.console.auth.mayChange(request.headers) }
}

/** Empties the cache. */
export async function action({ app, reply, url }: ActionContext<'/cache'>) {
  if (await app.console.cache.empty()) redirect(url.pathname)
  reply.code(503)
  return { problem: 'A worker has not confirmed that its cache is empty. Try again in a moment.' }
}
