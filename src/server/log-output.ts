import { fstatSync, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'

/** Where a log's lines go. */
export interface LogOutput {
  /** Takes a line, with its end. */
  write(line: string): void
  /** Writes what it has taken. Pino asks for it behind each line that says that the process is going to end. */
  flushSync(): void
}

/** Of what nobody has read yet. A reader that stands still is not to take the site's memory. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

let standard: LogOutput | null = null

/**
 * Standard output. The lines of one turn of the event loop are written together, at its end: to write each by itself, or to
 * hand it to another thread as Pino does, is a good part of what a failure costs. What cannot be written, to a disk that is full or
 * for a reader that stands still, is left out, and a line says so once it can be.
 *
 * @param finish Makes of the lines of a turn what is written. That of the first call holds, as there is one output.
 */
export function standardOutput(finish?: (lines: string) => string): LogOutput {
  standard ??= gatherTurns(isStream(process.stdout) ? toStream(process.stdout) : toFile(process.stdout.fd), finish)
  return standard
}

/** Throws when it cannot write all of it. */
type Write = (text: string) => void

export function gatherTurns(write: Write, finish = (lines: string) => lines): LogOutput {
  let gathered = ''
  let lost: { lines: number; why: unknown } | null = null

  function flush() {
    const text = gathered
    gathered = ''
    if (text === '') return
    try {
      const finished = finish(text)
      write(lost ? lossLine(lost.lines, lost.why) + finished : finished)
      lost = null
    } catch (why) {
      lost = { lines: (lost?.lines ?? 0) + text.split('\n').length - 1, why }
    }
  }

  process.on('exit', flush)
  return {
    write(line) {
      if (gathered === '') setImmediate(flush)
      gathered += line
    },
    flushSync: flush,
  }
}

export function toFile(fd: number): Write {
  let isTorn = false
  return (text) => {
    // The end of a line of which the disk has taken the beginning alone.
    let rest = Buffer.from(isTorn ? `\n${text}` : text)
    while (rest.length > 0) {
      const written = writeSync(fd, rest)
      isTorn = written < rest.length
      rest = rest.subarray(written)
    }
  }
}

export function toStream(stream: Writable): Write {
  // Whoever reads the log may go away before the site does.
  stream.on('error', () => {})
  return (text) => {
    if (stream.writableLength > MAX_WAITING_BYTES) throw new Error('nobody has read the log for some time')
    stream.write(text)
  }
}

// Node.js writes a pipe as far as it takes it, and keeps the rest. What it has for files stops for good at the first error.
export function isStream(stdout: typeof process.stdout): boolean {
  // In a thread it has no file; where a test runner listens, it is another function.
  if (stdout.fd === undefined || Object.hasOwn(stdout, 'write')) return true
  const stat = fstatSync(stdout.fd)
  return stat.isFIFO() || stat.isSocket()
}

// As Pino would have written it.
function lossLine(lines: number, why: unknown): string {
  const msg = `up to ${lines} lines of the log could not be written: ${why instanceof Error ? why.message : String(why)}`
  return `${JSON.stringify({ level: 40, time: Date.now(), pid: process.pid, msg })}\n`
}
