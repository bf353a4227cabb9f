import { type ActionContext, HttpError, invalidForm, type LoadContext, redirect } from 'hydrant'
import { z } from 'zod'
import { deleteCard, findCard, writeCard } from '../../board/cards.server.ts'

export const live = ({ params }: LoadContext<'/cards/[id]'>) => [`card:${params.id}`]

export function load({ params }: LoadContext<'/cards/[id]'>) {
  return { card: findCard(params.id) }
}

const edit = z.object({ version: z.coerce.number(), text: z.string().trim().min(1, 'Write something.').max(200) })

export const actions = {
  write: {
    form: edit,
    async action({ app, input, params }: ActionContext<'/cards/[id]', typeof edit>) {
      try {
        writeCard(params.id, input.version, input.text)
      } catch (error) {
        if (error instanceof HttpError && error.statusCode === 409) invalidForm({ '': error.message })
        throw error
      }
      await app.live.publish('board', `card:${params.id}`)
      redirect('/')
    },
  },
  async remove({ app, params }: ActionContext<'/cards/[id]'>) {
    deleteCard(params.id)
    await app.live.publish('board', `card:${params.id}`)
    redirect('/')
  },
}
