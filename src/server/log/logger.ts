import { Writable } from 'node:stream'
import Fastify, { type FastifyBaseLogger, type FastifyServerOptions } from 'fastify'
import { LAZY_COMPILERS } from '../util/fastify-internals.ts'
import { escapeControlCharacters, escapeControlCharactersIn, sanitizeLine } from './control-characters.ts'
import { isStream, type LogOutput, standardOutput, wantsColors } from './output.ts'

export type Logging = Pick<FastifyServerOptions, 'logger'>

/** Returns the logger options of a server: formatted lines in a terminal, JSON lines elsewhere. */
export async function createLogging(level: string): Promise<Logging> {
  return process.stdout.isTTY ? (await loadPrettyLogging())(level) : createJsonLogging(level)
}

/**
 * Returns logger options for JSON lines without control and bidi characters: a reader that splits at Unicode's line
 * separators, or prints a line as it is, finds none.
 *
 * @param stream Takes the lines (standard output).
 */
export function createJsonLogging(level: string, stream?: Pick<LogOutput, 'write'>): Logging {
  if (stream) return { logger: { level, hooks: { streamWrite: escapeControlCharacters }, stream } }
  // perf: the lines of a turn are checked as bytes, 0.02 µs instead of 0.6 µs for a line of 1 kB, commit 8d8d4fde
  return { logger: { level, stream: standardOutput(escapeControlCharactersIn) } }
}

/** Creates the log of a process that serves nothing. */
export function createLog(logging: Logging): FastifyBaseLogger {
  return Fastify({ ...logging, schemaController: LAZY_COMPILERS }).log
}

/** Loads the formatter for terminals. Returns what creates options with it. `isShown` filters lines of JSON. */
export async function loadPrettyLogging(
  isShown: ((json: string) => boolean) | null = null,
): Promise<(level: string) => Logging> {
  const createPretty = await loadPretty()
  return (level) => {
    const pretty = createPretty()
    const stream = isShown ? { write: (line: string) => !isShown(line) || pretty.write(line) } : pretty
    return { logger: { level, stream, hooks: { streamWrite: sanitizeLine } } }
  }
}

/** Creates the output of a primary and its workers, which takes whole lines: JSON of logs, or any text. */
export async function createSharedOutput(): Promise<Writable> {
  // A full pipe applies back pressure to the writers. A full disk does not.
  if (isStream(process.stdout)) return process.stdout
  if (!process.stdout.isTTY) return toWritable(standardOutput())
  const pretty = (await loadPretty())()
  return new Writable({
    write(chunk, _encoding, done) {
      for (const line of String(chunk).split(/(?<=\n)/)) pretty.write(line.startsWith('{') ? sanitizeLine(line) : line)
      done()
    },
  })
}

function toWritable(output: LogOutput): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      output.write(String(chunk))
      done()
    },
  })
}

async function loadPretty() {
  const { default: pretty } = await import('#pino-pretty')
  // Its own rule uses colors in each file and pipe on Windows.
  const colorize = wantsColors(process.stdout, process.env)
  return () => pretty({ colorize, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname', sync: true })
}
