import type { FastifyServerOptions } from 'fastify'
import { escapeObeyed, tameLine } from './log-text.ts'

export type Logging = Pick<FastifyServerOptions, 'logger'>

/** JSON, a line each; in a terminal, for people. */
export async function createLogging(level: string): Promise<Logging> {
  return process.stdout.isTTY ? (await loadPrettyLogging())(level) : createJsonLogging(level)
}

/** What splits texts into lines at Unicode's own ends of lines, or shows them as they are, finds none of these signs. */
export function createJsonLogging(level: string): Logging {
  return { logger: { level, hooks: { streamWrite: escapeObeyed } } }
}

/** For people. What it loads serves as many loggers as there are. */
export async function loadPrettyLogging(): Promise<(level: string) => Logging> {
  const { default: pretty } = await import('pino-pretty')
  return (level) => {
    const stream = pretty({ translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname', sync: true })
    return { logger: { level, stream, hooks: { streamWrite: tameLine } } }
  }
}
