import { type ActionContext, type LoadContext, redirect } from 'hydrant'
import { href } from 'hydrant/react'
import { z } from 'zod'
import { cleanText } from '../../notes/clean-text.ts'
import { colours, MAX_LENGTH } from '../../notes/note.ts'
import { toNote } from '../../notes/store.ts'

export const search = z.object({ q: z.string().trim().default('') })

export const form = z.object({
  text: z
    .string('Write something.')
    .overwrite(cleanText)
    .min(1, 'Write something.')
    // `max()` counts UTF-16 units: an emoji would be two characters or more.
    .refine((text) => lengthOf(text) <= MAX_LENGTH, {
      error: ({ input }) => `That is ${lengthOf(String(input))} characters long; a note has at most ${MAX_LENGTH}.`,
    }),
  colour: z.enum(colours).catch(colours[0]),
})

export async function load({ app, context, search }: LoadContext<'/notes'>) {
  const stored = await app.notes.list()
  const wanted = search.q.toLowerCase()
  const found = stored.filter(({ text }) => text.toLowerCase().includes(wanted))
  return { count: stored.length, notes: found.map((note) => toNote(note, context.visitor.id)) }
}

export async function action({ app, context, input }: ActionContext<'/notes'>) {
  await app.notes.add(input, context.visitor.id)
  redirect(href('/notes'))
}

function lengthOf(text: string): number {
  return [...text].length
}
