import { type ActionContext, redirect } from 'hydrant'
import { entriesOf, textOf } from '../done.ts'

export async function action({ app, form, reply, request, url }: ActionContext<'/form'>) {
  const intent = textOf(form, 'intent')
  app.done({ path: url.pathname, method: request.method, entries: await entriesOf(form) })
  switch (intent) {
    case 'wait':
      await app.wait()
      break
    case 'cut':
      return request.raw.socket.destroy()
    case 'problem':
      reply.code(422)
      break
    case 'throw':
      throw new Error('SECRET-MARKER')
    case 'redirect':
      return redirect('/target')
    case 'moved':
      return redirect('/moved')
    case 'same':
      return redirect('/form')
    case 'anchor':
      return redirect('/form#end')
    case 'reply-redirect':
      return reply.redirect('/target', 303)
    case 'reply-elsewhere':
      return reply.redirect(`http://localhost:${url.port}/target`, 303)
    case 'reply-send':
      return reply.type('text/plain').send('its own')
  }
  return { intent, text: textOf(form, 'text') }
}
