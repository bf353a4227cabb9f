import type { ConnectionDrain } from '../lifecycle/drain-connections.ts'
import { countInFlight } from '../lifecycle/in-flight.ts'
import type { PrimaryChannel } from './primary-channel.ts'

const INTERVAL_MS = 1_000

/**
 * Reports the requests in flight of this worker to the primary once a second, because a process that is killed can log
 * nothing. An idle worker reports nothing.
 */
export function reportInFlight(channel: PrimaryChannel, connections: Pick<ConnectionDrain, 'sockets'>) {
  let wasIdle = true
  function report() {
    const inFlight = countInFlight(connections.sockets())
    const isIdle = inFlight.size === 0
    if (!isIdle || !wasIdle) void channel.send({ kind: 'inFlight', inFlight })
    wasIdle = isIdle
  }
  setInterval(report, INTERVAL_MS).unref()
}
