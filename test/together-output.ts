// The comments in the output of a process that runs several test files.

export function formatStart(file: string): string {
  return `\n# file starts: ${file}\n`
}

export function formatEnd(file: string, ms: number): string {
  return `\n# file ends: ${file} ${ms}\n`
}

/** Returns the part of the output between the comments of a file, or null when the file has not ended. */
export function findPart(output: string, file: string): { text: string; seconds: number } | null {
  const start = formatStart(file)
  const from = output.indexOf(start)
  const [, rest = ''] = from === -1 ? [] : [null, output.slice(from + start.length)]
  const end = rest.indexOf(`\n# file ends: ${file} `)
  if (end === -1) return null
  const [, ms] = /^\n# file ends: \S+ (\d+)$/m.exec(rest.slice(end)) ?? []
  return { text: rest.slice(0, end), seconds: Number(ms) / 1000 }
}
