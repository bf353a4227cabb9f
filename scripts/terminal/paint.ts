const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const

/** Puts text into a style, or leaves it as it is where there are no colours. */
export type Paint = (style: keyof typeof STYLES, text: string) => string

export function createPaint(hasColours: boolean): Paint {
  if (!hasColours) return (_style, text) => text
  return (style, text) => `\u001b[${STYLES[style][0]}m${text}\u001b[${STYLES[style][1]}m`
}

/** As Node itself decides: FORCE_COLOR beats NO_COLOR, which beats what the output is. */
export function wantsColours(output: { isTTY?: boolean }, env: Record<string, string | undefined>): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false
  return output.isTTY === true && env.TERM !== 'dumb'
}
