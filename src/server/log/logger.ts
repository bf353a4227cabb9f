import { Writable } from 'node:stream'
import type { FastifyServerOptions } from 'fastify'
import { escapeControlCharacters, escapeObeyedIn, sanitizeLine } from './control-characters.ts'
import { isStream, type LogOutput, standardOutput } from './output.ts'

export type Logging = Pick<FastifyServerOptions, 'logger'>

/** JSON, a line each; in a terminal, for people. */
export async function createLogging(level: string): Promise<Logging> {
  return process.stdout.isTTY ? (await loadPrettyLogging())(level) : createJsonLogging(level)
}

/**
 * What splits texts into lines at Unicode's own ends of lines, or shows them as they are, finds none of these signs. Goes to
 * `stream` (standard output).
 */
export function createJsonLogging(level: string, stream?: Pick<LogOutput, 'write'>): Logging {
  if (stream) return { logger: { level, hooks: { streamWrite: escapeControlCharacters }, stream } }
  // Looks at the lines of a turn at once.
  return { logger: { level, stream: standardOutput(escapeObeyedIn) } }
}

/** For people. What it loads serves as many loggers as there are. */
export async function loadPrettyLogging(): Promise<(level: string) => Logging> {
  const createPretty = await loadPretty()
  return (level) => ({ logger: { level, stream: createPretty(), hooks: { streamWrite: sanitizeLine } } })
}

/** Takes what several processes write, whole lines at once: JSON of their logs, and what else they say. */
export async function createSharedOutput(): Promise<Writable> {
  // A pipe that is full makes those wait who write into it; a disk that is full does not.
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
  return () => pretty({ translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname', sync: true })
}
