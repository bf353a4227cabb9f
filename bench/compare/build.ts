import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../run-command.ts'
import { type Peer, pathFor } from './peer.ts'

/** Returns the time of a build without the results of an earlier one. */
export async function buildPeer({ dir, build, built }: Peer): Promise<number> {
  for (const folder of built) rmSync(join(dir, folder), { recursive: true, force: true })
  const env = { PATH: pathFor(dir), NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }
  return (await runCommand(['sh', '-c', build], { dir, log: `${dir}.build.log`, env })).ms
}
