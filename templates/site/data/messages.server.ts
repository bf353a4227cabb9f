// Stands for your database. These messages are lost when the server stops.

interface Message {
  id: number
  text: string
}

const messages: Message[] = []

export function listMessages(): readonly Message[] {
  return messages
}

export function addMessage(text: string): void {
  messages.push({ id: messages.length, text })
}
