import { type ActionContext, redirect } from 'hydrant'
import { addMessage, listMessages } from '../data/messages.server.ts'

export function load() {
  return { messages: listMessages() }
}

/** Handles the form of the page, with and without JavaScript in the browser. */
export function action({ form, reply }: ActionContext<'/guestbook'>) {
  const text = String(form.get('text') ?? '').trim()
  if (text === '') {
    // The page is shown again, with the result as `actionData`.
    reply.code(422)
    return { problem: 'Write a message first.' }
  }
  addMessage(text)
  redirect('/guestbook')
}
