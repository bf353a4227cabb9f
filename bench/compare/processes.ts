import { readdirSync, readlinkSync } from 'node:fs'

/** Ends the processes whose working directory is in a folder, each by its id. */
export function endProcessesIn(folder: string) {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue
    try {
      if (`${readlinkSync(`/proc/${name}/cwd`)}/`.startsWith(`${folder}/`)) process.kill(Number(name), 'SIGKILL')
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
}
