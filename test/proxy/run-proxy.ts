import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { until } from '../until.ts'

export interface Command {
  program: string
  words: readonly string[]
  /** Contents by path below the folder in which the proxy runs. */
  files: Readonly<Record<string, string>>
}

const MAX_TRIES = 5

/**
 * Starts a proxy on free ports of this machine and stops it with the test. Resolves when the proxy responds.
 *
 * @param compose Gets the proxy's own folder and the ports, the last of which must use TLS.
 */
export async function runProxy(
  t: Pick<Test, 'teardown'>,
  count: number,
  compose: (folder: string, ports: readonly number[]) => Command,
): Promise<readonly number[]> {
  // The proxy's user may differ from the test's: Apache's processes run as `nobody`.
  const folder = mkdtempSync(join(tmpdir(), 'hydrant-proxy-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (let tries = 1; ; tries++) {
    // None of them can choose a free port itself, and another process may take one in between.
    const ports = await findFreePorts(count)
    const { program, words, files } = compose(folder, ports)
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text)
    const child = spawn(program, words, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    })
    const said = await waitForAnswer(child, ports.at(-1) ?? 0)
    if (said === null) {
      t.teardown(() => stop(child))
      return ports
    }
    if (tries === MAX_TRIES) throw new Error(`${program} did not start:\n${said}`)
  }
}

/** Returns null when it responds, or its output if it has exited. */
async function waitForAnswer(child: ChildProcess, tlsPort: number): Promise<string | null> {
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  let hasEnded = false
  void once(child, 'close').then(() => {
    hasEnded = true
  })
  const outcome = await until(async () => (hasEnded ? 'ended' : (await isAnswered(tlsPort)) && 'answered'))
  return outcome === 'ended' ? said : null
}

function isAnswered(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: '/_hydrant/live', servername: 'shop.example', agent: false }
    request({ ...options, headers: { host: 'shop.example' }, rejectUnauthorized: false }, (response) => {
      response.resume().on('close', () => resolve(response.statusCode === 200))
    })
      .on('error', () => resolve(false))
      .end()
  })
}

async function stop(child: ChildProcess) {
  const ended = once(child, 'close')
  child.kill()
  await ended
}

async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(
    servers.map(async (server) => {
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const address = server.address()
      return typeof address === 'object' && address !== null ? address.port : 0
    }),
  )
  await Promise.all(
    servers.map((server) => {
      server.close()
      return once(server, 'close')
    }),
  )
  return ports
}
