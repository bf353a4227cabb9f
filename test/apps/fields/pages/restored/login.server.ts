import { type ActionContext, redirect } from 'hydrant'

export function action({ form, reply }: ActionContext<'/restored/login'>) {
  reply.header('set-cookie', `name=${form.get('name')}; Path=/`)
  redirect('/restored/draft')
}
