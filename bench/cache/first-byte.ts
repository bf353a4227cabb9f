import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type Headers, isWhole } from '../asker.ts'
import { median } from '../statistics.ts'

/** One item per turn. */
export interface FirstBytes {
  ms: number[]
  ratios: number[]
}

const WARM_UP_PAIRS = 2_000
const PAIRS = 100
/** A server without pauses has its code in the processor's caches. */
const PAUSE_MS = 5

/**
 * Compares the time to the first byte of two pages, whose requests alternate on one connection. Each turn has the median
 * time for the first page, and the median of the ratios within a pair.
 */
export async function compareFirstBytes(
  url: string,
  paths: readonly [string, string],
  headers: Headers,
  turns: number,
): Promise<FirstBytes> {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname).setNoDelay()
  await once(socket, 'connect')
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const ask = (path: string) => timeFirstByte(socket, `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  const takePair = async (isReversed: boolean, pauseMs: number) => {
    const times = [0, 0] as [number, number]
    for (const index of isReversed ? ([1, 0] as const) : ([0, 1] as const)) {
      if (pauseMs > 0) await wait(pauseMs)
      times[index] = await ask(paths[index])
    }
    return times
  }
  for (let pair = 0; pair < WARM_UP_PAIRS; pair++) await takePair(false, 0)
  const result: FirstBytes = { ms: [], ratios: [] }
  while (result.ms.length < turns) {
    const pairs: [number, number][] = []
    while (pairs.length < PAIRS) pairs.push(await takePair(pairs.length % 2 === 1, PAUSE_MS))
    result.ms.push(median(pairs.map(([first]) => first)))
    result.ratios.push(median(pairs.map(([first, second]) => second / first)))
  }
  socket.destroy()
  return result
}

/** Resolves with the milliseconds to the first byte of a response, when the response is complete. */
function timeFirstByte(socket: Socket, request: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const begin = performance.now()
    let firstMs = 0
    let received = Buffer.alloc(0)
    const onClose = () => reject(new Error('the server has closed the connection'))
    socket.once('close', onClose)
    socket.on('data', function onData(part: Buffer) {
      firstMs ||= performance.now() - begin
      received = Buffer.concat([received, part])
      if (!isWhole(received)) return
      socket.off('data', onData).off('close', onClose)
      resolve(firstMs)
    })
    socket.write(request)
  })
}
