import { type ActionContext, localPath, redirect } from 'hydrant'

export async function action({ app, form, reply, request, url }: ActionContext<'/sign-in'>) {
  const { auth } = app.console
  if (form.get('intent') === 'out') {
    reply.header('set-cookie', auth.signOut(request.headers))
    redirect('/sign-in')
  }
  const token = form.get('token')
  const result = await auth.signIn(typeof token === 'string' ? token : '', request.ip, request.headers)
  switch (result.kind) {
    case 'ok':
      reply.header('set-cookie', result.cookie)
      return redirect(localPath(url.searchParams.get('to'), '/'))
    case 'throttled':
      reply.code(429).header('retry-after', result.seconds)
      return { problem: `Too many wrong tokens. Try again in ${result.seconds} s.` }
    case 'denied':
      reply.code(422)
      return { problem: 'The token is wrong.' }
  }
}
