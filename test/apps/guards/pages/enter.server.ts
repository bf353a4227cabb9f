import { type ActionContext, localPath, redirect } from 'hydrant'

export function action({ app, reply, url }: ActionContext<'/enter'>) {
  app.session.isOpen = true
  reply.header('set-cookie', 'user=ada; Path=/')
  redirect(localPath(url.searchParams.get('from'), '/desk/note'))
}
