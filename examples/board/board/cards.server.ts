import { randomUUID } from 'node:crypto'
import { HttpError } from 'hydrant'

export const COLUMNS = ['To do', 'Doing', 'Done'] as const
export type Column = (typeof COLUMNS)[number]

export interface Card {
  id: string
  text: string
  column: Column
  /** The number of times that the card was changed: who edits an older one would undo what another person wrote. */
  version: number
}

// In memory, for one process. Several workers and machines need a database.
const cards = new Map<string, Card>()
addCard('Read the chapter about live pages')

export const listCards = (): readonly Card[] => [...cards.values()]

export function findCard(id: string): Card {
  const card = cards.get(id)
  if (!card) throw new HttpError(404, 'Somebody has deleted this card.')
  return card
}

export function addCard(text: string) {
  const id = randomUUID()
  cards.set(id, { id, text, column: 'To do', version: 1 })
}

/** Changes a card, if nobody else has changed its text since this version. Throws a 409 otherwise. */
export function writeCard(id: string, version: number, text: string) {
  const card = findCard(id)
  if (card.version !== version) throw new HttpError(409, `Meanwhile, somebody has written: ${card.text}`)
  cards.set(id, { ...card, text, version: version + 1 })
}

export function moveCard(id: string, column: Column) {
  cards.set(id, { ...findCard(id), column })
}

export const deleteCard = (id: string) => cards.delete(id)
