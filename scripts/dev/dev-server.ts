import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { constants, networkInterfaces } from 'node:os'
import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { stop as stopEsbuild } from 'esbuild'
import { createHttpOptions, limitServer } from '../../src/server/guards/connection-limits.ts'
import { hasSeveralHosts } from '../../src/server/http/request-url.ts'
import {
  createListenError,
  describeOwner,
  findFreePort,
  findPortOwner,
  type PortOwner,
} from '../../src/server/lifecycle/listen.ts'
import type { Options } from '../../src/server/options/options.ts'
import { nameSources } from '../../src/server/options/resolve-options.ts'
import { createDevSite, type DevSite, type DevSiteInput } from './dev-site.ts'
import { isDevProcess } from './engine/dev-manifest.ts'
import { explainHost, isAllowedHost, isForeign } from './http/dev-access.ts'

const NOSNIFF = { 'x-content-type-options': 'nosniff' }

interface Refusal {
  status: number
  problem: string
}

export interface DevServer extends Pick<DevSite, 'findSource' | 'report'> {
  urls: ServerUrls
  /** Why the port differs from the default; null if it does not. */
  portNote: string | null
  close(): Promise<void>
}

/** Serves and watches a site. Takes the next port if the default is taken. Throws HYD_OPTION_… and `listenInDev`'s. */
export async function startDevServer(input: DevSiteInput): Promise<DevServer> {
  const site = await createDevSite(input)
  const { host, port, base } = site.options()
  const upgraded = new Set<Duplex>()
  const server = createServer(createHttpOptions(site.options()).http, (request, response) => {
    // Browsers send no `Sec-Fetch-Site` to http on another machine; this header refuses foreign pages there.
    response.setHeader('cross-origin-resource-policy', 'same-site')
    const refusal = findRefusal(request)
    if (refusal !== null) return refuse(refusal, response)
    void site.respond(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500)
      response.end()
      throw error
    })
  })
  limitServer(server, site.options, input.onNote)
  server.on('upgrade', (request, socket, head) => {
    upgraded.add(socket)
    socket.on('close', () => upgraded.delete(socket))
    if (findRefusal(request) === null) site.upgrade(request, socket, head)
    else socket.destroy()
  })

  function findRefusal(request: IncomingMessage): Refusal | null {
    const { headers } = request
    const { hosts, allowedOrigins } = site.options()
    if (hasSeveralHosts(request)) return { status: 400, problem: 'The request has several Host headers.' }
    if (!isAllowedHost(headers.host, host, hosts)) return { status: 403, problem: explainHost(headers.host) }
    if (!isForeign(headers, allowedOrigins)) return null
    const problem = 'Only pages of this machine may request this. Add other origins to "allowedOrigins".'
    return { status: 403, problem }
  }

  async function close() {
    const closed = new Promise((resolve) => server.close(resolve))
    // Open pages keep the update channel open. The server does not know the connections of WebSockets.
    server.closeAllConnections()
    for (const socket of upgraded) socket.destroy()
    await closed
    await site.close()
  }

  try {
    const listening = await listenInDev(server, { dir: input.dir, host, port, mayReplacePort: site.isDefaultPort() })
    const urls = listServerUrls({ host, port: listening.port, base })
    return { urls, portNote: listening.note, findSource: site.findSource, report: site.report, close }
  } catch (error) {
    await close()
    throw nameSources(error, site.sources())
  }
}

function refuse({ status, problem }: Refusal, response: ServerResponse) {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...NOSNIFF }
  response.writeHead(status, headers).end(`${problem}\n`)
}

/** Milliseconds that closing may take before the process says that it waits. */
const PATIENCE_MS = 200

export interface StopTimes {
  /** Milliseconds that closing may take before the process ends without it. */
  deadlineMs: number
  /** Milliseconds that the event loop has to run, after code that blocked it has returned. */
  returnMs: number
}

/** SIGBREAK is Ctrl+Break on Windows. Other systems never send it. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGBREAK'] as const

type StopSignal = (typeof STOP_SIGNALS)[number]

/**
 * Ends the process with 0 when one of STOP_SIGNALS arrives, after the function of `setClose`, within `deadlineMs`. A
 * second signal ends it at once, with 130 for SIGINT and 143 for SIGTERM as a shell does. `log` gets a text about each
 * delay.
 */
export function handleStopSignals(log: (text: string) => void, { deadlineMs, returnMs }: StopTimes) {
  let close = async () => {}
  let state: 'running' | 'closing' | 'waiting' = 'running'
  // esbuild's process reports a deadlock if it ends after this one while it waits for a plugin.
  process.on('exit', () => void stopEsbuild())

  async function stop() {
    const closed = close().then(() => true)
    if (await Promise.race([closed, wait(PATIENCE_MS, false)])) process.exit(0)
    state = 'waiting'
    log(`stopping: waiting up to ${deadlineMs / 1_000} s for the site to close; press Ctrl+C again to end now`)
    if (!(await Promise.race([closed, wait(deadlineMs - PATIENCE_MS, false)])))
      log(`the site did not close within ${deadlineMs / 1_000} s: ending without it`)
    process.exit(0)
  }

  function onSignal(signal: StopSignal) {
    if (state === 'waiting') {
      log(`second ${signal}: ending now`)
      process.exit(128 + constants.signals[signal])
    }
    // Some package managers pass Ctrl+C on, which the terminal has sent to all processes: it arrives twice.
    if (state === 'closing') return
    state = 'closing'
    stop().catch((error) => {
      log(String(error))
      process.exit(1)
    })
  }

  let isHeld = false
  let heldAt = 0
  let isReleased = false
  const ignore = () => {
    for (const signal of STOP_SIGNALS) process.off(signal, onSignal)
    isHeld = false
  }
  function hold() {
    // A signal that has arrived is lost with its last listener.
    if (isHeld) return
    for (const signal of STOP_SIGNALS) process.on(signal, onSignal)
    isHeld = true
    heldAt = performance.now()
  }
  hold()
  return {
    /** Sets the function that a signal calls before the process ends. */
    setClose(next: () => Promise<void>) {
      close = next
    },
    /**
     * Makes a signal end the process without the function of `setClose`, until the code that blocks the event loop
     * returns. Must be called again while the event loop is blocked, because an endless chain of promises or ticks also
     * blocks it, and each link of the chain returns. Returns true for the first call while the event loop is blocked.
     */
    release() {
      if (isReleased) {
        if (performance.now() - heldAt >= returnMs) ignore()
        return false
      }
      isReleased = true
      ignore()
      // The listeners return as soon as the code returns, before other work. Which of the queues runs first depends
      // on it.
      process.nextTick(hold)
      queueMicrotask(hold)
      setImmediate(() => {
        isReleased = false
        hold()
      })
      return true
    },
  }
}

export interface DevAddress extends Pick<Options, 'host' | 'port'> {
  dir: string
  /** Whether another port will do. */
  mayReplacePort: boolean
}

/** The port of a server, and a note when it is not the port of the options. */
export interface ListenResult {
  port: number
  note: string | null
}

/** Listens at the port, or at the next free one if it may. Throws HYD_PORT_IN_USE and HYD_LISTEN_FAILED. */
async function listenInDev(server: Server, { dir, host, port, mayReplacePort }: DevAddress): Promise<ListenResult> {
  const address = { host, port, socket: null }
  try {
    return { port: await open(server, address), note: null }
  } catch (cause) {
    // Node.js gives the errors of `listen` a code.
    const isTaken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE'
    const free = isTaken && mayReplacePort ? await findFreePort(port, host) : null
    if (free === null) throw await createListenError(address, cause)
    const owner = describe(await findPortOwner(port), dir)
    try {
      const used = await open(server, { host, port: free })
      return { port: used, note: `port ${port} is in use by ${owner}; this server uses port ${used}` }
    } catch (second) {
      throw await createListenError({ ...address, port: free }, second)
    }
  }
}

function describe(owner: PortOwner | null, dir: string): string {
  if (!owner || !isDevProcess(dir, owner.pid)) return describeOwner(owner)
  return `another "hydrant dev" of this site (process ${owner.pid})`
}

async function open(server: Server, { host, port }: Pick<Options, 'host' | 'port'>): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening')
  // The address of a server that listens on TCP is an `AddressInfo`.
  return (server.address() as AddressInfo).port
}

interface ServerUrls {
  /** The URL on this machine, or at the address on which the server listens. */
  local: string
  /** The URLs for other machines, when the server listens on all addresses; otherwise empty. */
  network: string[]
}

/** Lists the URLs of a server that listens on a host and a port. */
export function listServerUrls(
  { host, port, base }: { host: string; port: number; base: string },
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): ServerUrls {
  const urlOf = (name: string) => `http://${name.includes(':') ? `[${name}]` : name}:${port}${base}`
  if (host !== '0.0.0.0' && host !== '::') return { local: urlOf(host), network: [] }
  const addresses = Object.values(interfaces).flatMap((list = []) => list)
  const network = addresses
    // A link-local address of IPv6 needs the name of an interface, which a URL cannot contain.
    .filter(
      ({ internal, family, address }) =>
        !internal && (family === 'IPv4' || (host === '::' && !/^fe[89ab]/.test(address))),
    )
    .map(({ address }) => urlOf(address))
  return { local: urlOf('localhost'), network }
}
