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
let lostLines = 0

/** How many lines of the log this process could not write. */
export function lostLogLines(): number {
  return lostLines
}

/**
 * Standard output. The lines of one turn of the event loop are written together, at its end: to write each by itself, or to
 * hand it to another thread as Pino does, is a good part of what a failure costs. What cannot be written, to a disk that is full or
 * for a reader that stands still, is left out, and a line says so once it can be.
 *
 * @param finish Makes of the lines of a turn what is written. That of the first call holds, as there is one output.
 */
export function standardOutput(finish?: Finish): LogOutput {
  standard ??= gatherTurns(isStream(process.stdout) ? toStream(process.stdout) : toFile(process.stdout.fd), finish)
  return standard
}

/** Throws when it cannot write all of it. The bytes are another's: they are overwritten afterwards. */
type Write = (lines: Buffer) => void
type Finish = (lines: Buffer) => Buffer

/** For the lines of a turn; where there are more of them, they are written in parts. */
const ROOM_BYTES = 256 * 1024
/** That a character of a string takes at the most. */
const CHARACTER_BYTES = 3

export function gatherTurns(write: Write, finish: Finish = (lines) => lines): LogOutput {
  // Bytes, as Pino's lines are of many pieces: until the end of the turn each of them would be in the way of garbage collection.
  const room = Buffer.allocUnsafeSlow(ROOM_BYTES)
  let used = 0
  let lost: { lines: number; why: unknown } | null = null

  function flush() {
    const lines = room.subarray(0, used)
    used = 0
    if (lines.length > 0) pass(lines)
  }

  function pass(lines: Buffer) {
    try {
      const finished = finish(lines)
      write(lost ? Buffer.concat([lossLine(lost.lines, lost.why), finished]) : finished)
      lost = null
    } catch (why) {
      const count = countLines(lines)
      lostLines += count
      lost = { lines: (lost?.lines ?? 0) + count, why }
    }
  }

  process.on('exit', flush)
  return {
    write(line) {
      const most = line.length * CHARACTER_BYTES
      if (most > room.length - used) flush()
      if (most > room.length) return pass(Buffer.from(line))
      if (used === 0) setImmediate(flush)
      used += room.write(line, used)
    },
    flushSync: flush,
  }
}

function countLines(lines: Buffer): number {
  return lines.toString('latin1').split('\n').length - 1
}

export function toFile(fd: number): Write {
  let isTorn = false
  return (lines) => {
    // The end of a line of which the disk has taken the beginning alone.
    let rest = isTorn ? Buffer.concat([LINE_END, lines]) : lines
    while (rest.length > 0) {
      const written = writeSync(fd, rest)
      isTorn = written < rest.length
      rest = rest.subarray(written)
    }
  }
}

const LINE_END = Buffer.from('\n')

export function toStream(stream: Writable): Write {
  // Whoever reads the log may go away before the site does.
  stream.on('error', () => {})
  return (lines) => {
    if (stream.writableLength > MAX_WAITING_BYTES) throw new Error('the log has not been read for some time')
    stream.write(Buffer.from(lines))
  }
}

// Node.js writes a pipe as far as it takes it, and keeps the rest. What it has for files stops for good at the first error.
export function isStream(stdout: typeof process.stdout): boolean {
  // In a thread it has no file; where a test runner listens, it is another function.
  if (stdout.fd === undefined || Object.hasOwn(stdout, 'write')) return true
  // As big integers: the other result of a stat stays behind in Node.js, where resolving a path mistakes a pipe's for that of a
  // folder on the way. Modules behind symbolic links, as pnpm installs them, would then be found under a second name.
  const stat = fstatSync(stdout.fd, { bigint: true })
  return stat.isFIFO() || stat.isSocket()
}

// As Pino would have written it.
function lossLine(lines: number, why: unknown): Buffer {
  const msg = `up to ${lines} lines of the log could not be written: ${why instanceof Error ? why.message : String(why)}`
  return Buffer.from(`${JSON.stringify({ level: 40, time: Date.now(), pid: process.pid, msg })}\n`)
}
