import { styleText } from 'node:util'

/** Applies a style to a text. Returns it unchanged when colors are off. */
export type Paint = (style: 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', text: string) => string

export function createPaint(hasColors: boolean): Paint {
  if (!hasColors) return (_style, text) => text
  return (style, text) => styleText(style, text, { validateStream: false })
}
