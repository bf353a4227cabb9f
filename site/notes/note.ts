import { cleanText } from './clean-text.ts'

/** The largest length of a note, in Unicode characters. */
export const MAX_LENGTH = 280

/** The colors of real hydrant signs: for fire, water and gas. */
export const colours = ['red', 'blue', 'yellow'] as const

export type Colour = (typeof colours)[number]

export interface NewNote {
  text: string
  colour: Colour
}

/** A note as a visitor sees it. */
export interface Note extends NewNote {
  id: number
  writtenAt: Date
  /** Whether the visitor has written the note, and may delete it. */
  isOwn: boolean
}

/** Returns the note in the fields of the form. */
export function readNote(fields: FormData): NewNote {
  const wanted = fields.get('colour')
  const colour = colours.find((name) => name === wanted) ?? colours[0]
  return { text: cleanText(String(fields.get('text') ?? '')), colour }
}
