import { once } from 'node:events'
import type { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { askPage } from '../http.ts'
import type { ServerProcess } from '../server-process.ts'
import { median } from '../statistics.ts'
import { MEMORY_PATH, OPEN_PATH, type ProcessMemory } from './sources.ts'

/** So few requests allocate less than the young generation holds. */
const BATCH = 100
const BATCHES = 7
const STREAMS = 200
/** Two of these connections in a row go to different workers. */
const MOST_LOOKS = 100

/** Measures the memory that one request allocates. All requests of a connection go to one process. */
export async function measureRequestBytes(
  { url }: ServerProcess,
  agent: Agent,
  path: string,
  share: number,
): Promise<number> {
  const batches: number[] = []
  for (let batch = 0; batch < BATCHES * share; batch++) {
    const before = await readMemory(`${url}${MEMORY_PATH}?collect`, agent)
    for (let request = 0; request < BATCH; request++) await askPage(url + path, agent)
    const after = await readMemory(url + MEMORY_PATH, agent)
    batches.push((after.bytes - before.bytes) / BATCH)
  }
  // A collection may fall into a batch. The median leaves it out.
  return median(batches)
}

/** Measures the memory that a stream holds while its page waits for data. */
export async function measureStreamBytes(server: ServerProcess, processes: number, share: number): Promise<number> {
  const { hostname, port } = new URL(server.url)
  await askOpen(hostname, port).then((socket) => socket.destroy())
  const before = await readAll(server, processes)
  const sockets: Socket[] = []
  const streams = STREAMS * share
  try {
    for (let stream = 0; stream < streams; stream++) sockets.push(await askOpen(hostname, port))
    const after = await readAll(server, processes)
    return (after - before) / streams
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

/** Resolves when the shell has arrived. */
async function askOpen(host: string, port: string): Promise<Socket> {
  const socket = connect(Number(port), host)
  await once(socket, 'connect')
  socket.write(`GET ${OPEN_PATH} HTTP/1.1\r\nHost: ${host}:${port}\r\nAccept: text/html\r\n\r\n`)
  let text = ''
  for await (const part of socket.iterator({ destroyOnReturn: false })) {
    text += part
    if (text.includes('</h1>')) return socket
  }
  throw new Error(`${OPEN_PATH} has ended before its shell:\n${text}`)
}

/** Returns the memory of all processes, each after a garbage collection. */
async function readAll({ url }: ServerProcess, processes: number): Promise<number> {
  const byProcess = new Map<number, number>()
  for (let look = 0; look < MOST_LOOKS; look++) {
    const { pid, bytes } = await readMemory(`${url}${MEMORY_PATH}?collect`, false)
    byProcess.set(pid, bytes)
    if (look >= processes && byProcess.size === processes) break
  }
  if (byProcess.size < processes) throw new Error(`only ${byProcess.size} of ${processes} processes respond`)
  return [...byProcess.values()].reduce((sum, bytes) => sum + bytes, 0)
}

async function readMemory(url: string, agent: Agent | false): Promise<ProcessMemory> {
  // The cast is safe because the generated site's `server.ts` sends a `ProcessMemory`.
  return JSON.parse((await askPage(url, agent)).body.toString()) as ProcessMemory
}
