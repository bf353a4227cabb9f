import { type ActionContext, redirect } from 'hydrant'
import { z } from 'zod'
import { addCard, COLUMNS, listCards, moveCard } from '../board/cards.server.ts'

export const live = () => ['board']

export function load() {
  return { columns: COLUMNS, cards: listCards() }
}

const card = z.object({ text: z.string().trim().min(1, 'Write something.').max(200) })
const place = z.object({ id: z.string(), column: z.enum(COLUMNS) })

export const actions = {
  add: {
    form: card,
    async action({ app, input }: ActionContext<'/', typeof card>) {
      addCard(input.text)
      await app.live.publish('board')
      redirect('/')
    },
  },
  move: {
    form: place,
    async action({ app, input }: ActionContext<'/', typeof place>) {
      moveCard(input.id, input.column)
      await app.live.publish('board')
    },
  },
}
