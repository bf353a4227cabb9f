export interface Ticket {
  id: number
  title: string
  text: string
  isOpen: boolean
  answers: { by: string; text: string }[]
}

/** A placeholder for your database. Its changes are lost when the server stops. */
export class Tickets {
  readonly #tickets: Ticket[] = [
    {
      id: 1,
      title: 'The printer is out of paper',
      text: 'Second floor, next to the kitchen.',
      isOpen: true,
      answers: [],
    },
    { id: 2, title: 'No sound in video calls', text: 'It worked yesterday.', isOpen: true, answers: [] },
    { id: 3, title: 'A new keyboard', text: 'The letter E is missing.', isOpen: false, answers: [] },
  ]

  list(): readonly Ticket[] {
    return this.#tickets
  }

  find(id: number): Ticket | undefined {
    return this.#tickets.find((ticket) => ticket.id === id)
  }
}
