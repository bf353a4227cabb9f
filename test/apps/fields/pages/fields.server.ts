import { type ActionContext, redirect } from 'hydrant'
import { get, save, waitForGo } from '../stored.server.ts'

export function load() {
  const { late, ...data } = get()
  return { ...data, later: new Promise<string>((resolve) => setTimeout(resolve, 20, late)) }
}

export async function action({ form, url, reply }: ActionContext<'/fields'>) {
  const intent = form.get('intent')
  if (intent === 'slow') await waitForGo()
  save(form)
  if (intent === 'same') redirect('/fields')
  if (intent === 'query') redirect('/fields?saved=1')
  if (intent === 'site') return reply.redirect(`http://localhost:${url.port}/route`, 303)
  if (intent === 'route') redirect('/route')
  if (intent === 'file') redirect('/file')
  if (intent === 'plain') redirect('/plain')
  return { intent }
}
