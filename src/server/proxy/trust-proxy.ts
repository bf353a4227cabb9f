import type { Options } from '../options/options.ts'
import { createAddressList } from '../util/ip-ranges.ts'

/**
 * Are the forwarded headers of that address believed? `hop` counts from the connection on. There is no address on a
 * connection through a socket file, and none any more on one that has ended.
 */
export type TrustProxy = (address: string | undefined, hop: number) => boolean

const LOOPBACK = '127.0.0.1'

/**
 * Who `trustProxy` trusts; null for nobody. Whoever may write to the socket file that the server listens on is this
 * machine, as `loopback` is.
 */
export function createTrustProxy(trusted: Options['trustProxy'], isOnSocketFile: () => boolean): TrustProxy | null {
  if (trusted === false) return null
  if (trusted === true) return () => true
  const judge = typeof trusted === 'function' ? trusted : trustList(trusted)
  return (address, hop) => (address === undefined ? isOnSocketFile() && judge(LOOPBACK, hop) : judge(address, hop))
}

function trustList(trusted: string | string[]): TrustProxy {
  const list = createAddressList((typeof trusted === 'string' ? trusted.split(',') : trusted).map((one) => one.trim()))
  return (address) => address !== undefined && list.includes(address)
}
