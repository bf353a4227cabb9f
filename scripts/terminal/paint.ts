import { styleText } from 'node:util'

/** Puts text into a style, or returns it unchanged where there are no colours. */
export type Paint = (style: 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', text: string) => string

export function createPaint(hasColours: boolean): Paint {
  if (!hasColours) return (_style, text) => text
  return (style, text) => styleText(style, text, { validateStream: false })
}

/**
 * Decides in Node's order: FORCE_COLOR, then NO_COLOR, then the output. Node's own `getColorDepth` also takes an empty
 * NO_COLOR for a wish, and gives no colours to a terminal whose name it does not know.
 */
export function wantsColours(output: { isTTY?: boolean }, env: Record<string, string | undefined>): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false
  return output.isTTY === true && env.TERM !== 'dumb'
}
