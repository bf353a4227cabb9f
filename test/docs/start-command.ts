import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface RunningCommand {
  /** `http://127.0.0.1:` and its port. */
  origin: string
  stop(): Promise<void>
}

/** Starts a command that serves, and waits until it prints its URL. */
export async function startCommand(
  command: string,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<RunningCommand> {
  // Runs in its own process group, because npx does not pass every signal on.
  const child = spawn('bash', ['-c', `exec ${command}`], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  const seen: string[] = []
  child.stderr.on('data', (bytes) => seen.push(String(bytes)))
  async function stop() {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
    await ended
  }
  for await (const line of createInterface(child.stdout)) {
    seen.push(line)
    const [origin] = /http:\/\/(?:127\.0\.0\.1|localhost):\d+/.exec(line) ?? []
    if (origin === undefined) continue
    // Reads and drops the rest of the output, because a full pipe would stop the command.
    child.stdout.resume()
    return { origin, stop }
  }
  throw new Error(`${command} ended before it served:\n${seen.join('\n')}`)
}
