import { fstatSync, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { messageOf } from '../util/unknown-values.ts'

export interface LogOutput {
  /** Takes a line with its line break. */
  write(line: string): void
  /** Writes what was taken so far. Pino calls it after each fatal line, as the process ends then. */
  flushSync(): void
}

/** Bytes that a reader has not read yet. A reader that stops must not use up the memory of the site. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024

let standard: LogOutput | null = null
let lostLines = 0

/** Returns the number of log lines that this process could not write. */
export function lostLogLines(): number {
  return lostLines
}

/** Writes lines to a stream. Those that it cannot write count as lost. Returns what the stream's `write` returns. */
export function writeLogLines(stream: Writable, lines: string | Buffer): boolean {
  return stream.write(lines, (error) => {
    if (error) lostLines += countLines(Buffer.from(lines))
  })
}

/**
 * Returns standard output. Lines that cannot be written, to a full disk or for a reader that has stopped, are dropped,
 * and a line says so when writing works again.
 *
 * Pino's own output hands each line to another thread, and waits. Writing each line at once saves half as much.
 *
 * perf: the lines of one turn of the event loop are written together at its end, 1.06 to 1.14 times the rate of failing
 * pages, commit d44099ab
 *
 * @param finish Converts the lines of a turn before they are written. There is one output, so the first call decides.
 */
export function standardOutput(finish?: Finish): LogOutput {
  standard ??= gatherTurns(isStream(process.stdout) ? toStream(process.stdout) : toFile(process.stdout.fd), finish)
  return standard
}

/** Takes lines that could not be written, and the reason. */
type Lose = (lines: Buffer, reason: unknown) => void
/** Throws when it cannot write all lines, or calls `lose` later. The buffer is reused afterwards. */
type Write = (lines: Buffer, lose: Lose) => void
type Finish = (lines: Buffer) => Buffer

interface Lost {
  lines: number
  reason: unknown
}

/** Size of the buffer for the lines of a turn. More lines are written in parts. */
const ROOM_BYTES = 256 * 1024
/** The most bytes that one UTF-16 code unit of a string takes. */
const MAX_BYTES_PER_UNIT = 3

/** Creates an output that writes the lines of each turn of the event loop together. */
export function gatherTurns(write: Write, finish: Finish = (lines) => lines): LogOutput {
  // Pino's lines are strings of many pieces, which garbage collection would visit until the end of the turn.
  // perf: bytes instead of strings, 1.035 to 1.05 times the rate of failing pages, commit 3c4d6f1f
  const room = Buffer.allocUnsafeSlow(ROOM_BYTES)
  let used = 0
  let lost: Lost | null = null

  function flush() {
    const lines = room.subarray(0, used)
    used = 0
    if (lines.length > 0) writeLines(lines)
  }

  function writeLines(lines: Buffer) {
    const before = lost
    lost = null
    try {
      const finished = finish(lines)
      if (before === null) return write(finished, (all, reason) => lose(countLines(all), null, reason))
      const told = Buffer.concat([lossLine(before), finished])
      // The first of them is the line about the lines that were lost before.
      write(told, (all, reason) => lose(countLines(all) - 1, before, reason))
    } catch (reason) {
      lose(countLines(lines), before, reason)
    }
  }

  function lose(count: number, before: Lost | null, reason: unknown) {
    lostLines += count
    lost = { lines: (lost?.lines ?? 0) + (before?.lines ?? 0) + count, reason }
  }

  process.on('exit', flush)
  return {
    write(line) {
      const maxBytes = line.length * MAX_BYTES_PER_UNIT
      if (maxBytes > room.length - used) flush()
      if (maxBytes > room.length) return writeLines(Buffer.from(line))
      if (used === 0) setImmediate(flush)
      used += room.write(line, used)
    },
    flushSync: flush,
  }
}

function countLines(lines: Buffer): number {
  return lines.toString('latin1').split('\n').length - 1
}

/** Returns a function that writes to a file synchronously. */
export function toFile(fd: number): (lines: Buffer) => void {
  let isTorn = false
  return (lines) => {
    // Ends a line that was written only in part.
    let rest = isTorn ? Buffer.concat([LINE_END, lines]) : lines
    while (rest.length > 0) {
      const written = writeSync(fd, rest)
      isTorn = written < rest.length
      rest = rest.subarray(written)
    }
  }
}

const LINE_END = Buffer.from('\n')

/** Returns a function that writes to a pipe or socket. Its stream keeps the lines that the reader has not read yet. */
export function toStream(stream: Writable): (lines: Buffer, lose?: Lose) => void {
  // The reader of the log may end before the site does.
  stream.on('error', () => {})
  return (lines, lose) => {
    if (stream.writableLength > MAX_UNREAD_BYTES) throw new Error('the log has not been read for some time')
    const copy = Buffer.from(lines)
    stream.write(copy, (error) => {
      if (error) lose?.(copy, error)
    })
  }
}

/**
 * Returns true when standard output is a pipe or a socket. Node.js keeps the bytes that these do not take at once. Its
 * stream for files stops for good with the first error, so a file is written directly.
 */
export function isStream(stdout: typeof process.stdout): boolean {
  // A thread has no file descriptor, and test runners replace `write`.
  if (stdout.fd === undefined || Object.hasOwn(stdout, 'write')) return true
  // `bigint` avoids a bug of Node.js, which reuses the array of a plain stat: resolving a path then takes the pipe's
  // result for that of a folder, and modules behind symbolic links, as pnpm installs them, get a second name.
  try {
    const stat = fstatSync(stdout.fd, { bigint: true })
    return stat.isFIFO() || stat.isSocket()
  } catch {
    // A service of Windows may have no standard output. The stream of Node.js then drops the lines.
    return true
  }
}

// Has the form of a line of Pino.
function lossLine({ lines, reason }: Lost): Buffer {
  const msg = `up to ${lines} lines of the log could not be written: ${messageOf(reason)}`
  return Buffer.from(`${JSON.stringify({ level: 40, time: Date.now(), pid: process.pid, msg })}\n`)
}

/**
 * Returns whether to use colors. FORCE_COLOR decides, then NO_COLOR, then the output: Node's order. Node's own
 * `getColorDepth` also obeys an empty NO_COLOR, and returns no colors for a terminal with an unknown name.
 */
export function wantsColors(output: { isTTY?: boolean }, env: Record<string, string | undefined>): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false
  return output.isTTY === true && env.TERM !== 'dumb'
}
