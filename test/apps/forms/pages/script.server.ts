import { type ActionContext, redirect } from 'hydrant'
import { entriesOf, textOf } from '../done.ts'

export async function action({ app, form, request, url }: ActionContext<'/script'>) {
  app.done({ path: url.pathname, method: request.method, entries: await entriesOf(form) })
  const intent = textOf(form, 'intent')
  if (intent === 'wait') await app.wait()
  if (intent === 'redirect') redirect('/target')
  if (intent === 'same') redirect('/script')
  return { method: request.method, text: textOf(form, 'text') }
}
