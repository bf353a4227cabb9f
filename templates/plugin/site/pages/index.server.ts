import { type ActionContext, type LoadContext, redirect } from 'hydrant'

export function load({ app }: LoadContext<'/'>) {
  // The decorator of src/api.ts. Do not import the tasks: the built site has modules of its own.
  return { tasks: app.tasks.list() }
}

export function action({ app, form, reply }: ActionContext<'/'>) {
  const text = String(form.get('text') ?? '').trim()
  if (text === '') {
    reply.code(422)
    return { problem: 'Write a task first.' }
  }
  app.tasks.add(text)
  redirect('/')
}
