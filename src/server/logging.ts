import type { FastifyServerOptions } from 'fastify'

export type Logging = Pick<FastifyServerOptions, 'logger'>

/** JSON, a line each; in a terminal, for people. */
export async function createLogging(level: string): Promise<Logging> {
  if (!process.stdout.isTTY) return { logger: { level } }
  return { logger: { level, stream: await createPrettyStream() } }
}

async function createPrettyStream() {
  const { default: pretty } = await import('pino-pretty')
  return pretty({ translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname', sync: true })
}
