// Stands for your database. These messages are lost when the server stops.

const messages: string[] = []

export function listMessages(): readonly string[] {
  return messages
}

export function addMessage(text: string): void {
  messages.push(text)
}
