import { createRequire } from 'node:module'
import { styleText } from 'node:util'
import { escapeControlCharacters, showControlCharacters } from '../../src/server/log/control-characters.ts'

/** Returns a text as one line, with its control characters escaped. */
export function toLine(text: string): string {
  return showControlCharacters(text.replaceAll('\t', '  ').replace(/\r?\n/g, ' ⏎ '))
}

/** Splits a text at its line breaks and escapes its control characters. */
export function toLines(text: string): string[] {
  return text.split(/\r?\n/).map(toLine)
}

/** Returns JSON without a character that a terminal obeys. */
export function toJson(value: unknown): string {
  return escapeControlCharacters(JSON.stringify(value, null, 2))
}

const PLAIN = /^[ -~]*$/
const load = createRequire(import.meta.url)

export function widthOf(line: string): number {
  if (PLAIN.test(line)) return line.length
  // perf: loaded with Unicode's tables at the first line that needs them, 24 ms less CPU time of each other start,
  // commit 58305e56
  const { default: stringWidth } = load('#string-width') as typeof import('#string-width')
  return stringWidth(line)
}

/** Cuts a line to `width` columns. A line that is cut ends with an ellipsis. */
export function cutToWidth(line: string, width: number): string {
  if (widthOf(line) <= width) return line
  const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })
  let cut = ''
  let taken = 1
  for (const { segment } of characters.segment(line)) {
    taken += widthOf(segment)
    if (taken > width) break
    cut += segment
  }
  return `${cut}…`
}

export function padToWidth(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - widthOf(line)))
}

/**
 * Returns a word as the shell reads it: in quotes if it has characters with a meaning for the shell. On Windows the
 * result is for both of its shells, which read only double quotes in the same way.
 */
export function quoteWord(word: string): string {
  if (process.platform === 'win32') return /^[\w./:\\@+=-]+$/.test(word) ? word : `"${word}"`
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** Returns the argument that selects the site in `dir`, with a space before it; empty for the working directory. */
export function folderWord(dir: string): string {
  return dir === '.' ? '' : ` ${quoteWord(dir)}`
}

/** Applies a style to a text. Returns it unchanged when colors are off. */
export type Paint = (style: 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', text: string) => string

export function createPaint(hasColors: boolean): Paint {
  if (!hasColors) return (_style, text) => text
  return (style, text) => styleText(style, text, { validateStream: false })
}

/** Shows the current step: in one line that changes on a terminal, otherwise in a line for each step. */
export interface Progress {
  /** @param done How much of the step is done, which is shown on a terminal only. */
  step(name: string, done?: string): void
  /** Erases the line. */
  end(): void
}

export function createProgress(output: Output, title: string): Progress {
  if (!output.isTTY)
    return { step: (name, done) => void (done === undefined && output.write(`${title}: ${name}\n`)), end() {} }
  const eraseLine = '\r\u001b[2K'
  return {
    step: (name, done) => output.write(`${eraseLine}${title}: ${name}${done === undefined ? '' : `, ${done}`}…`),
    end: () => output.write(eraseLine),
  }
}

export interface Output {
  isTTY?: boolean
  /** The number of columns of a terminal. */
  columns?: number
  write(text: string): unknown
}

/** What a command writes to, and the environment that it reads and adds to: those of the process. */
export interface Terminal {
  stdout: Output
  stderr: Output
  env: NodeJS.ProcessEnv
}
