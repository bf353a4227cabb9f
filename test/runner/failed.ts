/** The number of lines that are shown of an assertion's details. */
const MAX_DETAIL_LINES = 30

/** tap writes no more than this comment when a teardown throws, or has not ended when the time of the file is over. */
const FAILED_TEARDOWN = /^\s*# error thrown in teardown$/

/**
 * Lists the failures in the text that tap writes: the titles from the outermost test to the assertion, the place, and
 * the details. The line of a subtest repeats the failures inside it, so it is listed only when there are none.
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
    if (FAILED_TEARDOWN.test(line))
      failed.push([...titles.slice(0, depth), 'a teardown throws, or does not end'].join(' › '))
    const [, title] = /^\s*not ok \d+ - (.*)$/.exec(line) ?? []
    if (title === undefined || /# (?:skip|todo)\b/i.test(title)) continue
    const isRepeated = innermost > depth
    innermost = depth
    if (isRepeated) continue
    const detail = detailAfter(lines, index)
    failed.push([...titles.slice(0, depth), title].join(' › ') + placeIn(detail) + detail)
  }
  return failed
}

/** Returns the place that the details name, in parentheses. */
function placeIn(detail: string): string {
  const [, file, line, column] = /^ *fileName: (.+)\n *lineNumber: (\d+)\n *columnNumber: (\d+)$/m.exec(detail) ?? []
  return file === undefined ? '' : ` (${file}:${line}:${column})`
}

/** Returns the block of YAML after a line. */
function detailAfter(lines: readonly string[], index: number): string {
  const rest = lines.slice(index + 1, index + 1 + MAX_DETAIL_LINES)
  if (!/^\s*---$/.test(rest[0] ?? '')) return ''
  const end = rest.findIndex((line) => /^\s*\.\.\.$/.test(line))
  return `\n${rest.slice(1, end === -1 ? undefined : end).join('\n')}`
}
