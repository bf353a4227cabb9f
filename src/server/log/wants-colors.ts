/**
 * Returns whether to use colors. FORCE_COLOR decides, then NO_COLOR, then the output: Node's order. Node's own
 * `getColorDepth` also obeys an empty NO_COLOR, and returns no colors for a terminal with an unknown name.
 */
export function wantsColors(output: { isTTY?: boolean }, env: Record<string, string | undefined>): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false
  return output.isTTY === true && env.TERM !== 'dumb'
}
