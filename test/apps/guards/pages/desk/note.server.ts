import { type ActionContext, invalidForm } from 'hydrant'
import { z } from 'zod'

export const form = z.object({ text: z.string().min(1), version: z.coerce.number(), title: z.string().optional() })

let stored = { text: 'nothing', version: 0 }

export function load() {
  return stored
}

export function action({ app, input }: ActionContext<'/desk/note'>) {
  if (input.version !== stored.version) invalidForm({ text: 'Changed meanwhile' })
  stored = { text: input.text, version: stored.version + 1 }
  app.done({
    path: '/desk/note',
    entries: [
      ['text', input.text],
      ['title', input.title],
    ],
  })
}
