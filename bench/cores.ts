import { execFileSync } from 'node:child_process'

/** The core of the measured servers. */
export const SERVER_CORE = '0'
const CLIENT_CORE = '1'

/** Moves this process to a core without servers. Returns a function that allows all cores again. */
export function moveToCore(): () => void {
  const ofProcess = () => execFileSync('taskset', ['-p', String(process.pid)], { encoding: 'utf8' })
  const mask = /: ([\da-f,]+)$/m.exec(ofProcess())?.[1] ?? '3'
  execFileSync('taskset', ['-a', '-cp', CLIENT_CORE, String(process.pid)], { stdio: 'ignore' })
  return () => execFileSync('taskset', ['-a', '-p', mask, String(process.pid)], { stdio: 'ignore' })
}
