import { type ActionContext, redirect } from 'hydrant'

export async function action({ app, form, reply, request, url }: ActionContext) {
  const { door } = app.console
  if (form.get('intent') === 'out') {
    reply.header('set-cookie', door.signOut(request.headers))
    redirect('/sign-in')
  }
  const token = form.get('token')
  const answer = await door.signIn(typeof token === 'string' ? token : '', request.ip, request.headers)
  switch (answer.kind) {
    case 'in':
      reply.header('set-cookie', answer.cookie)
      return redirect(pathOf(url.searchParams.get('to')))
    case 'wait':
      reply.code(429).header('retry-after', answer.seconds)
      return { problem: `Too many wrong tokens. Try again in ${answer.seconds} s.` }
    case 'out':
      reply.code(422)
      return { problem: 'The token is wrong.' }
  }
}

// Accepts only a path of this site: other sites can link to this page with any `to`.
function pathOf(to: string | null): string {
  return to !== null && /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(to) ? to : '/'
}
