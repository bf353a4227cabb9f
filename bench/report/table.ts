/** Returns a Markdown table. All columns but the first are aligned to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}

export const NONE = '–'

/** Formats a value with three digits. */
export function show(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return NONE
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(3)))
}

/** Below this ratio, Hydrant is behind. Ratios nearer to 1 are noise. */
export const BEHIND = 0.97

/** Formats how many times better Hydrant is. The ratio is bold if Hydrant is behind. */
export function showRatio(ratio: number | undefined): string {
  if (ratio === undefined || Number.isNaN(ratio)) return NONE
  const text = ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2)
  return ratio < BEHIND ? `**${text}**` : text
}
