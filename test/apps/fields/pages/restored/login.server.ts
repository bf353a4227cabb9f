import { type ActionContext, localPath, redirect } from 'hydrant'

export function action({ form, reply, url }: ActionContext<'/restored/login'>) {
  reply.header('set-cookie', `name=${form.get('name')}; Path=/`)
  redirect(localPath(url.searchParams.get('to'), '/restored/draft'))
}
