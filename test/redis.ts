// A Redis for one test, in a temporary folder.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import iovalkey from 'iovalkey'
import type { Test } from 'tap'
import { findPort } from './find-port.ts'
import { CERTIFICATE, CERTIFICATE_KEY } from './proxy/certificate.ts'
import { REDIS } from './tools.ts'

export interface Redis {
  /** The URL of the database 0. */
  url: string
  /** Returns the URL of a database that no other call has returned. */
  nextDatabase(): string
  /** Starts the server again, with the same port and without its data. */
  start(): Promise<void>
  /** Kills the server. */
  kill(): Promise<void>
  /** Sends SIGSTOP or SIGCONT to the server. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
}

/** Sends a command to a server, with a connection of its own. */
export async function command(url: string, name: string, ...words: readonly string[]): Promise<unknown> {
  const client = new iovalkey.Redis(url, { lazyConnect: true, retryStrategy: () => null, enableReadyCheck: false })
  client.on('error', () => {})
  await client.connect()
  try {
    return await client.call(name, ...words)
  } finally {
    client.disconnect()
  }
}

/** Starts a server without TLS. */
export function startRedis(t: Pick<Test, 'teardown'>, ...settings: readonly string[]): Promise<Redis> {
  return startServer(t, 'redis', (port) => ['--port', port, ...settings])
}

/** Starts a server that accepts only connections with TLS, with the certificate of `proxy/certificate.ts`. */
export function startRedisWithTls(t: Pick<Test, 'teardown'>, ...settings: readonly string[]): Promise<Redis> {
  return startServer(t, 'rediss', (port, folder) => {
    const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
    writeFileSync(certificate, CERTIFICATE)
    writeFileSync(key, CERTIFICATE_KEY)
    const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-auth-clients', 'no']
    return ['--port', '0', '--tls-port', port, ...files, ...settings]
  })
}

async function startServer(
  t: Pick<Test, 'teardown'>,
  scheme: 'redis' | 'rediss',
  compose: (port: string, folder: string) => string[],
): Promise<Redis> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'))
  let port = 0
  let child: ChildProcess | null = null
  let databases = 0

  /** Returns whether the server has started. Another program may have taken the port. */
  async function launch(): Promise<boolean> {
    const words = ['--bind', '127.0.0.1', '--dir', folder, '--save', '', ...compose(String(port), folder)]
    const launched = spawn(REDIS, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    child = launched
    for await (const line of createInterface({ input: launched.stdout })) {
      if (line.includes('Ready to accept connections')) return true
    }
    return false
  }

  const redis: Omit<Redis, 'url'> = {
    nextDatabase: () => `${scheme}://127.0.0.1:${port}/${++databases}`,
    async start() {
      if (!(await launch())) throw new Error(`${REDIS} has ended`)
    },
    async kill() {
      if (child === null || child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    signal: (signal) => void child?.kill(signal),
  }

  t.teardown(async () => {
    await redis.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  for (let attempt = 0; attempt < 5; attempt++) {
    port = await findPort()
    if (await launch()) return { ...redis, url: `${scheme}://127.0.0.1:${port}/0` }
  }
  throw new Error(`${REDIS} does not start`)
}
