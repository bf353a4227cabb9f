export const MAX_LENGTH = 280

/** The colours of real hydrant signs: for fire, water and gas. */
export const colours = ['red', 'blue', 'yellow'] as const

export type Colour = (typeof colours)[number]

export interface Note {
  id: number
  text: string
  colour: Colour
  writtenAt: Date
}

export type NewNote = Pick<Note, 'text' | 'colour'>

/** Input from a visitor or a script that is not a valid note, with the reason. */
export interface Refused {
  text: string
  colour: Colour
  problem: string
}

// Invisible characters that break a text or change its direction, and lone surrogates.
const UNWANTED = /(?!\n)[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu

/** Reads a note from input. An unknown colour becomes the first colour. */
export function readNote(
  text: unknown,
  colour: unknown,
): { kind: 'note'; note: NewNote } | { kind: 'refused'; refused: Refused } {
  const note = { text: clean(text), colour: colours.find((name) => name === colour) ?? colours[0] }
  const length = [...note.text].length
  if (length === 0) return { kind: 'refused', refused: { ...note, problem: 'Write something.' } }
  if (length <= MAX_LENGTH) return { kind: 'note', note }
  const problem = `That is ${length} characters long; a note has at most ${MAX_LENGTH}.`
  return { kind: 'refused', refused: { ...note, problem } }
}

function clean(text: unknown): string {
  if (typeof text !== 'string') return ''
  const lines = text.replace(/\r\n?/g, '\n').replace(/\t/g, ' ').replace(UNWANTED, '')
  return lines.replace(/\n{3,}/g, '\n\n').trim()
}
