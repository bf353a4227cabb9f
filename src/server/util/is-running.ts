import { hasCode } from './unknown-values.ts'

/** Returns whether a process with this number exists. */
export function isRunning(pid: number): boolean {
  try {
    // Signal 0 only asks.
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process runs, as another user.
    return hasCode(error, 'EPERM')
  }
}
