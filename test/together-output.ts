// The output of a process that runs several test files, with a comment before and after each.

/** How long text waits for more of it. */
const PAUSE_MS = 50

/**
 * Collects what tap writes, and writes it to the standard output a few times a second: tap writes each line by itself, and
 * a write to a pipe takes as long as an assertion. What others write in the meantime comes first.
 */
export function createOutput(): { write(text: string): void } {
  let waiting = ''
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    process.stdout.write(waiting)
    waiting = ''
  }
  process.once('exit', flush)
  return {
    write(text) {
      waiting += text
      timer ??= setTimeout(flush, PAUSE_MS).unref()
    },
  }
}

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
