/** What an assertion says beyond its title goes on for so many lines at most. */
const MAX_DETAIL_LINES = 30

/**
 * What failed, out of the text that tap writes: each as its file, its titles from outside to inside, and what was found.
 * A line for a subtest only repeats what is inside, so it is left out, unless nothing inside has failed.
 */
export function listFailed(tap: string): string[] {
  const titles: string[] = []
  const failed: string[] = []
  let innermost = -1
  const lines = tap.split('\n')
  for (const [index, line] of lines.entries()) {
    const depth = line.search(/\S/) / 4
    const [, subtest] = /^\s*# Subtest: (.*)$/.exec(line) ?? []
    if (subtest !== undefined) titles.splice(depth, Infinity, subtest)
    const [, title] = /^\s*not ok \d+ - (.*)$/.exec(line) ?? []
    if (title === undefined || /# (?:skip|todo)\b/i.test(title)) continue
    const isRepeated = innermost > depth
    innermost = depth
    if (isRepeated) continue
    failed.push([...titles.slice(0, depth), title].join(' › ') + detailBehind(lines, index))
  }
  return failed
}

/** The block of YAML behind a line. */
function detailBehind(lines: readonly string[], index: number): string {
  const rest = lines.slice(index + 1, index + 1 + MAX_DETAIL_LINES)
  if (!/^\s*---$/.test(rest[0] ?? '')) return ''
  const end = rest.findIndex((line) => /^\s*\.\.\.$/.test(line))
  return `\n${rest.slice(1, end === -1 ? undefined : end).join('\n')}`
}
