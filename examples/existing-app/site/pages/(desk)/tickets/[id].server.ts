import { type ActionContext, type GuardContext, type LoadContext, notFound, redirect } from 'hydrant'

/** Runs before the load and the action, so both find the ticket in their context. */
export function guard({ app, params }: GuardContext<'/tickets/[id]'>) {
  const ticket = app.tickets.find(Number(params.id))
  if (!ticket) notFound()
  return { ticket }
}

export function load({ context }: LoadContext<'/tickets/[id]'>) {
  return { ticket: context.ticket }
}

export function action({ context, form, reply, params }: ActionContext<'/tickets/[id]'>) {
  const { ticket, user } = context
  const text = String(form.get('text') ?? '').trim()
  if (text === '') {
    reply.code(422)
    return { problem: 'Write an answer.' }
  }
  ticket.answers.push({ by: user.name, text })
  ticket.isOpen = form.get('close') === null
  redirect(`/tickets/${params.id}`)
}
